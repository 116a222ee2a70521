// SPDX-License-Identifier: MIT
// Gates of bfloat16: SiLU and GELU by tanh.
#include "gated_activation/typed_gated.cuh"

namespace rowfold_test {

gated_list gated_bfloat16_ops() {
  using rowfold::gate_place;
  using bf16 = __nv_bfloat16;
  constexpr element type = element::bfloat16;
  return {
      make_pair_op<rowfold::silu, bf16, bf16, bf16>("SiLU of bfloat16, two tensors", type, type, type),
      make_one_tensor_op<rowfold::silu, gate_place::first_half, bf16, bf16>("SiLU of bfloat16, first half", type, type),
      make_one_tensor_op<rowfold::gelu_tanh, gate_place::odd_columns, bf16, bf16>(
          "GELU by tanh of bfloat16, odd columns", type, type)};
}

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// SiLU as a gate of float, in every form of its arguments.
#include "gated_activation/typed_gated.cuh"

namespace rowfold_test {

gated_list gated_float_ops() {
  using rowfold::gate_place;
  using rowfold::silu;
  constexpr element type = element::float32;
  return {make_pair_op<silu, float, float, float>("SiLU of float, two tensors", type, type, type),
          make_one_tensor_op<silu, gate_place::first_half, float, float>("SiLU of float, first half", type, type),
          make_one_tensor_op<silu, gate_place::second_half, float, float>("SiLU of float, second half", type, type),
          make_one_tensor_op<silu, gate_place::even_columns, float, float>("SiLU of float, even columns", type, type),
          make_one_tensor_op<silu, gate_place::odd_columns, float, float>("SiLU of float, odd columns", type, type)};
}

}  // namespace rowfold_test

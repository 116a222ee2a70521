// SPDX-License-Identifier: MIT
// Other activations and types: GELU of float, ReLU of half, the sigmoid of three types, SiLU of double.
#include "gated_activation/typed_gated.cuh"

namespace rowfold_test {

gated_list gated_more_ops() {
  using rowfold::gate_place;
  return {make_one_tensor_op<rowfold::gelu, gate_place::second_half, float, float>("GELU of float, second half",
                                                                                   element::float32, element::float32),
          make_one_tensor_op<rowfold::relu, gate_place::first_half, __half, __half>("ReLU of half, first half",
                                                                                    element::float16, element::float16),
          make_pair_op<rowfold::sigmoid, __nv_bfloat16, float, __half>(
              "sigmoid of bfloat16 by float to half", element::bfloat16, element::float32, element::float16),
          make_pair_op<rowfold::silu, double, double, double>("SiLU of double, two tensors", element::float64,
                                                              element::float64, element::float64)};
}

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// LayerNorm with modulation, of double.
#include "norms/norm_sets.hpp"
#include "norms/typed_ada_norm.cuh"

namespace rowfold_test {

const norm_set ada_layer_double = typed_ada_norm<norm_op::ada_layer_norm, double, double, double>::functions(
    "AdaLN, double", element::float64, element::float64, element::float64);

}  // namespace rowfold_test

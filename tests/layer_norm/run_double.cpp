// SPDX-License-Identifier: MIT
// LayerNorm of double.
#include "layer_norm/typed_layer_norm.cuh"

namespace rowfold_test {

const type_set double_types =
    typed_layer_norm<double, double, double>::functions("double", element::float64, element::float64, element::float64);

}  // namespace rowfold_test

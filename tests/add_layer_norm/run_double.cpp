// SPDX-License-Identifier: MIT
// Addition + LayerNorm of double.
#include "add_layer_norm/typed_add_layer_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_layer_norm_double = typed_add_layer_norm<double, double, double, double, double>::functions(
    "double", element::float64, element::float64, element::float64, element::float64, element::float64);

}  // namespace add_norm
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Addition + LayerNorm of float.
#include "add_layer_norm/typed_add_layer_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_layer_norm_float = typed_add_layer_norm<float, float, float, float, float>::functions(
    "float", element::float32, element::float32, element::float32, element::float32, element::float32);

}  // namespace add_norm
}  // namespace rowfold_test

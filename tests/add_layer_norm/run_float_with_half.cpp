// SPDX-License-Identifier: MIT
// Addition + LayerNorm of float with a half residual.
#include "add_layer_norm/typed_add_layer_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_layer_norm_float_with_half = typed_add_layer_norm<float, __half, __half, __half, __half>::functions(
    "float with a half residual", element::float32, element::float16, element::float16, element::float16,
    element::float16);

}  // namespace add_norm
}  // namespace rowfold_test

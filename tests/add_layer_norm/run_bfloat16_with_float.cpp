// SPDX-License-Identifier: MIT
// Addition + LayerNorm of bfloat16 with a float residual.
#include "add_layer_norm/typed_add_layer_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_layer_norm_bfloat16_with_float =
    typed_add_layer_norm<__nv_bfloat16, float, float, __nv_bfloat16, float>::functions(
        "bfloat16 with a float residual", element::bfloat16, element::float32, element::float32, element::bfloat16,
        element::float32);

}  // namespace add_norm
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Addition + RMSNorm of bfloat16 with a float residual.
#include "add_rms_norm/typed_add_rms_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_rms_norm_bfloat16_with_float =
    typed_add_rms_norm<__nv_bfloat16, float, float, float, float>::functions(
        "bfloat16 with a float residual", element::bfloat16, element::float32, element::float32, element::float32,
        element::float32);

}  // namespace add_norm
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Addition + RMSNorm of float with a half residual, before_gamma.
#include "add_rms_norm/typed_add_rms_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_rms_norm_float_with_half =
    typed_add_rms_norm<float, __half, __half, __half, __half, rowfold::weight_rounding::before_gamma>::functions(
        "float with a half residual, before_gamma", element::float32, element::float16, element::float16,
        element::float16, element::float16);

}  // namespace add_norm
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// RMSNorm of bfloat16 to e4m3 with a scale for each row.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types rms_bfloat16_per_row =
    typed_rms_norm_quantize<__nv_bfloat16, __nv_fp8_e4m3, quantize_scale::per_row, __nv_bfloat16>::functions(
        "bfloat16 to e4m3 per row", element::bfloat16, element::bfloat16);

}  // namespace quantize
}  // namespace rowfold_test

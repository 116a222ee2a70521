// SPDX-License-Identifier: MIT
// SwiGLU of bfloat16 to e4m3 with a scale for each row.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types swiglu_bfloat16_per_row =
    typed_swiglu_quantize<__nv_bfloat16, __nv_bfloat16, __nv_fp8_e4m3, quantize_scale::per_row>::functions(
        "swiglu bfloat16 to e4m3 per row", element::bfloat16, element::bfloat16);

}  // namespace quantize
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Quantising bfloat16 to e4m3 with a scale for each row.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types quantize_bfloat16_per_row =
    typed_quantize<__nv_bfloat16, __nv_fp8_e4m3, quantize_scale::per_row>::functions("bfloat16 to e4m3 per row",
                                                                                     element::bfloat16);

}  // namespace quantize
}  // namespace rowfold_test

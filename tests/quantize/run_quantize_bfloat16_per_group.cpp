// SPDX-License-Identifier: MIT
// Quantising bfloat16 to e5m2 with a scale for each group.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types quantize_bfloat16_per_group =
    typed_quantize<__nv_bfloat16, __nv_fp8_e5m2, quantize_scale::per_group>::functions("bfloat16 to e5m2 per group",
                                                                                       element::bfloat16);

}  // namespace quantize
}  // namespace rowfold_test

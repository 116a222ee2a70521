// SPDX-License-Identifier: MIT
// Addition of half to float, RMSNorm to int8 with a scale for each group.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types add_float_with_half_per_group =
    typed_add_rms_norm_quantize<float, __half, signed char, quantize_scale::per_group, __half>::functions(
        "float and half to int8 per group", element::float32, element::float16, element::float16);

}  // namespace quantize
}  // namespace rowfold_test

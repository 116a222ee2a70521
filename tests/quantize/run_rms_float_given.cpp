// SPDX-License-Identifier: MIT
// RMSNorm of float to e5m2 with a given scale and gamma of half.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types rms_float_given =
    typed_rms_norm_quantize<float, __nv_fp8_e5m2, quantize_scale::given, __half>::functions(
        "float to e5m2, given", element::float32, element::float16);

}  // namespace quantize
}  // namespace rowfold_test

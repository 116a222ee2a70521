// SPDX-License-Identifier: MIT
// RMSNorm of bfloat16 with float parameters to float, rounded to bfloat16 before the weight.
#include "norms/norm_sets.hpp"
#include "norms/typed_rms_norm.cuh"

namespace rowfold_test {

const norm_set rms_bfloat16_to_float =
    typed_rms_norm<__nv_bfloat16, float, float, rowfold::weight_rounding::before_gamma>::functions(
        "RMSNorm, bfloat16 to float, before_gamma", element::bfloat16, element::float32, element::float32);

}  // namespace rowfold_test

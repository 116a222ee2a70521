// SPDX-License-Identifier: MIT
// RMSNorm of half, rounded to half before the weight.
#include "norms/norm_sets.hpp"
#include "norms/typed_rms_norm.cuh"

namespace rowfold_test {

const norm_set rms_half = typed_rms_norm<__half, __half, __half, rowfold::weight_rounding::before_gamma>::functions(
    "RMSNorm, half, before_gamma", element::float16, element::float16, element::float16);

}  // namespace rowfold_test

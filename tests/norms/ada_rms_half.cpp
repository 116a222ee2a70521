// SPDX-License-Identifier: MIT
// RMSNorm with modulation, of half with float parameters.
#include "norms/norm_sets.hpp"
#include "norms/typed_ada_norm.cuh"

namespace rowfold_test {

const norm_set ada_rms_half = typed_ada_norm<norm_op::ada_rms_norm, __half, float, __half>::functions(
    "AdaRMS, half, float parameters", element::float16, element::float32, element::float16);

}  // namespace rowfold_test

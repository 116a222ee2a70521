// SPDX-License-Identifier: MIT
// RMSNorm of bfloat16.
#include "norms/norm_sets.hpp"
#include "norms/typed_rms_norm.cuh"

namespace rowfold_test {

const norm_set rms_bfloat16 = typed_rms_norm<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16>::functions(
    "RMSNorm, bfloat16", element::bfloat16, element::bfloat16, element::bfloat16);

}  // namespace rowfold_test

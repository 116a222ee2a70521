// SPDX-License-Identifier: MIT
// RMSNorm with modulation, of float.
#include "norms/norm_sets.hpp"
#include "norms/typed_ada_norm.cuh"

namespace rowfold_test {

const norm_set ada_rms_float = typed_ada_norm<norm_op::ada_rms_norm, float, float, float>::functions(
    "AdaRMS, float", element::float32, element::float32, element::float32);

}  // namespace rowfold_test

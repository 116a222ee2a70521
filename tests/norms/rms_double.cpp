// SPDX-License-Identifier: MIT
// RMSNorm of double.
#include "norms/norm_sets.hpp"
#include "norms/typed_rms_norm.cuh"

namespace rowfold_test {

const norm_set rms_double = typed_rms_norm<double, double, double>::functions("RMSNorm, double", element::float64,
                                                                              element::float64, element::float64);

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// RMSNorm of float, also by the short calls.
#include "norms/norm_sets.hpp"
#include "norms/typed_rms_norm.cuh"

namespace rowfold_test {

using typed_float = typed_rms_norm<float, float, float>;

const norm_set rms_float = [] {
  norm_set set = typed_float::functions("RMSNorm, float", element::float32, element::float32, element::float32);
  set.run_short = typed_float::run_short;
  return set;
}();

}  // namespace rowfold_test

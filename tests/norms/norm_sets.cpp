// SPDX-License-Identifier: MIT
// The sets that this build holds. CMakeLists.txt says which files are compiled; this says the same to the tests.
#include "norms/norm_sets.hpp"

namespace rowfold_test {

#if defined(ROWFOLD_TEST_FEW_TYPES)
const norm_sets& rms_norm_sets() {
  static const norm_sets sets = {&rms_float, &rms_bfloat16};
  return sets;
}
const norm_sets& l2_normalize_sets() {
  static const norm_sets sets = {&l2_bfloat16};
  return sets;
}
const norm_sets& ada_norm_sets() {
  static const norm_sets sets = {&ada_layer_bfloat16};
  return sets;
}
#else
const norm_sets& rms_norm_sets() {
  static const norm_sets sets = {&rms_float, &rms_bfloat16, &rms_half, &rms_bfloat16_to_float, &rms_double};
  return sets;
}
const norm_sets& l2_normalize_sets() {
  static const norm_sets sets = {&l2_float, &l2_bfloat16, &l2_half_to_float, &l2_double};
  return sets;
}
const norm_sets& ada_norm_sets() {
  static const norm_sets sets = {&ada_rms_float, &ada_layer_bfloat16, &ada_rms_half, &ada_layer_double};
  return sets;
}
#endif

}  // namespace rowfold_test

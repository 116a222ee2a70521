// SPDX-License-Identifier: MIT
// The sets that this build holds. CMakeLists.txt says which files are compiled; this says the same to the tests.
#include "softmax/more_sets.hpp"

namespace rowfold_test {

const std::vector<const softmax_set*>& softmax_sets() {
  static const std::vector<const softmax_set*> sets = {
    &float_softmax,
    &float_options_softmax,
    &bfloat16_softmax,
#if !defined(ROWFOLD_TEST_FEW_TYPES)
    &half_masked_softmax,
    &half_softmax,
    &bfloat16_to_float_softmax,
    &float_scaled_softmax,
    &double_masked_softmax,
#endif
    &bfloat16_causal_softmax,
  };
  return sets;
}

const std::vector<const softmax_set*>& log_softmax_sets() {
  static const std::vector<const softmax_set*> sets = {
#if !defined(ROWFOLD_TEST_FEW_TYPES)
    &float_log_softmax,
    &bfloat16_scaled_log_softmax,
    &double_log_softmax,
#endif
  };
  return sets;
}

std::vector<const softmax_set*> all_softmax_sets() {
  std::vector<const softmax_set*> sets = softmax_sets();
  sets.insert(sets.end(), log_softmax_sets().begin(), log_softmax_sets().end());
  return sets;
}

}  // namespace rowfold_test

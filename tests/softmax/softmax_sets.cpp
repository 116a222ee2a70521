// SPDX-License-Identifier: MIT
// The sets that this build holds. CMakeLists.txt says which files are compiled; this says the same to the tests.
#include "softmax/more_sets.hpp"

namespace rowfold_test {

const std::vector<const softmax_set*>& softmax_sets() {
#if defined(ROWFOLD_TEST_FEW_TYPES)
  static const std::vector<const softmax_set*> sets = {&float_softmax, &float_options_softmax, &bfloat16_softmax,
                                                       &bfloat16_causal_softmax, &half_masked_softmax};
#else
  static const std::vector<const softmax_set*> sets = {&float_softmax,        &float_options_softmax,
                                                       &bfloat16_softmax,     &bfloat16_causal_softmax,
                                                       &half_masked_softmax,  &half_softmax,
                                                       &double_softmax,       &bfloat16_to_float_softmax,
                                                       &float_scaled_softmax, &bfloat16_lengths_softmax,
                                                       &double_masked_softmax};
#endif
  return sets;
}

const std::vector<const softmax_set*>& log_softmax_sets() {
#if defined(ROWFOLD_TEST_FEW_TYPES)
  static const std::vector<const softmax_set*> sets = {&float_log_softmax};
#else
  static const std::vector<const softmax_set*> sets = {&float_log_softmax, &bfloat16_log_softmax,
                                                       &half_options_log_softmax, &double_log_softmax};
#endif
  return sets;
}

}  // namespace rowfold_test

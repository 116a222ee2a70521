// SPDX-License-Identifier: MIT
// The type sets that this build holds. CMakeLists.txt says which files are compiled; this says the same to the tests.
#include "layer_norm/layer_norm_call.hpp"

namespace rowfold_test {

const std::vector<const type_set*>& type_sets() {
#if defined(ROWFOLD_TEST_FEW_TYPES)
  static const std::vector<const type_set*> sets = {&float_types, &bfloat16_types};
#else
  static const std::vector<const type_set*> sets = {
      &float_types, &half_types, &bfloat16_types, &bfloat16_to_float_types, &float_to_bfloat16_types, &double_types};
#endif
  return sets;
}

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// The types that this build holds. CMakeLists.txt says which files are compiled; this says the same to the tests.
#include "row_reduce/row_reduce_call.hpp"

namespace rowfold_test {

const std::vector<const reduce_types*>& reduce_type_sets() {
#if defined(ROWFOLD_TEST_FEW_TYPES)
  static const std::vector<const reduce_types*> sets = {&bfloat16_reductions};
#else
  static const std::vector<const reduce_types*> sets = {&float_reductions, &half_reductions, &bfloat16_reductions,
                                                        &double_reductions};
#endif
  return sets;
}

}  // namespace rowfold_test

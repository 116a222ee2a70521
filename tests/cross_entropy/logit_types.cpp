// SPDX-License-Identifier: MIT
// The types that this build holds. CMakeLists.txt says which files are compiled; this says the same to the tests.
#include "cross_entropy/cross_entropy_call.hpp"

namespace cross_entropy_test {

const std::vector<const logit_type*>& logit_types() {
#if defined(ROWFOLD_TEST_FEW_TYPES)
  static const std::vector<const logit_type*> types = {&float_logits, &bfloat16_logits};
#else
  static const std::vector<const logit_type*> types = {&float_logits, &half_logits, &bfloat16_logits};
#endif
  return types;
}

}  // namespace cross_entropy_test

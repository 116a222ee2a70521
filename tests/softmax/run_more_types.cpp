// SPDX-License-Identifier: MIT
// Softmax of the sets that sanitizers do without: more types, and options one by one.
#include "softmax/more_sets.hpp"
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set half_softmax = typed_softmax<false, __half>::functions("half");
const softmax_set bfloat16_to_float_softmax =
    typed_softmax<false, __nv_bfloat16, float>::functions("bfloat16 to float");
const softmax_set double_softmax = typed_softmax<false, double>::functions("double");

}  // namespace rowfold_test

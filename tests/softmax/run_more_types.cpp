// SPDX-License-Identifier: MIT
// Softmax of the sets that sanitizers do without: more types.
#include "softmax/more_sets.hpp"
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set bfloat16_to_float_softmax =
    typed_softmax<false, __nv_bfloat16, float>::functions("bfloat16 to float");
const softmax_set double_masked_softmax =
    typed_softmax<false, double, double, double, double>::functions("double, scale, mask");

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Log-softmax.
#include "softmax/more_sets.hpp"
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set float_log_softmax = typed_softmax<true, float>::functions("float");
const softmax_set bfloat16_scaled_log_softmax =
    typed_softmax<true, __nv_bfloat16, __nv_bfloat16, double>::functions("bfloat16, scale");
const softmax_set double_log_softmax = typed_softmax<true, double>::functions("double");

}  // namespace rowfold_test

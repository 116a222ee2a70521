// SPDX-License-Identifier: MIT
// Log-softmax of the sets that sanitizers do without.
#include "softmax/more_sets.hpp"
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set bfloat16_log_softmax = typed_softmax<true, __nv_bfloat16>::functions("bfloat16");
const softmax_set half_options_log_softmax =
    typed_softmax<true, __half, float, double, float, rowfold::row_lengths<int>>::functions(
        "half to float, scale, float mask, 32-bit lengths");
const softmax_set double_log_softmax = typed_softmax<true, double>::functions("double");

}  // namespace rowfold_test

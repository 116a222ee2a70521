// SPDX-License-Identifier: MIT
// Softmax of the sets that sanitizers do without: options one by one.
#include "softmax/more_sets.hpp"
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set float_scaled_softmax = typed_softmax<false, float, float, double>::functions("float, scale");
const softmax_set bfloat16_lengths_softmax =
    typed_softmax<false, __nv_bfloat16, __nv_bfloat16, rowfold::absent, rowfold::absent,
                  rowfold::row_lengths<int>>::functions("bfloat16, 32-bit lengths");
const softmax_set double_masked_softmax =
    typed_softmax<false, double, double, double, double>::functions("double, scale, mask");

}  // namespace rowfold_test

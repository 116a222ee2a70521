// SPDX-License-Identifier: MIT
// Softmax of bfloat16, plain and as attention uses it.
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set bfloat16_softmax = typed_softmax<false, __nv_bfloat16>::functions("bfloat16");
const softmax_set bfloat16_causal_softmax =
    typed_softmax<false, __nv_bfloat16, __nv_bfloat16, double, rowfold::absent, rowfold::causal_columns>::functions(
        "bfloat16, scale, causal");

}  // namespace rowfold_test

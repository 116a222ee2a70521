// SPDX-License-Identifier: MIT
// Softmax of float, plain and with every option at once.
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set float_softmax = typed_softmax<false, float>::functions("float");
const softmax_set float_options_softmax =
    typed_softmax<false, float, float, double, __nv_bfloat16,
                  rowfold::fewer_columns<rowfold::causal_columns, rowfold::row_lengths<std::int64_t>>>::
        functions("float, scale, bfloat16 mask, causal, 64-bit lengths");

}  // namespace rowfold_test

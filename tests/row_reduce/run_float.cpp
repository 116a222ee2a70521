// SPDX-License-Identifier: MIT
// Row reductions of float.
#include "row_reduce/typed_row_reduce.cuh"

namespace rowfold_test {

using typed_float = typed_row_reduce<float>;

const reduce_types float_reductions = {
    "float", element::float32, typed_float::composed<true>, typed_float::composed<false>, typed_float::mean_variance,
    nullptr};

}  // namespace rowfold_test

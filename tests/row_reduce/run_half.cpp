// SPDX-License-Identifier: MIT
// Row reductions of half.
#include "row_reduce/typed_row_reduce.cuh"

namespace rowfold_test {

using typed_half = typed_row_reduce<__half>;

const reduce_types half_reductions = {
    "half", element::float16, typed_half::composed<true>, typed_half::composed<false>, typed_half::mean_variance,
    nullptr};

}  // namespace rowfold_test

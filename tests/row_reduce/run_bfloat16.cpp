// SPDX-License-Identifier: MIT
// Row reductions of bfloat16.
#include "row_reduce/typed_row_reduce.cuh"

namespace rowfold_test {

using typed_bfloat16 = typed_row_reduce<__nv_bfloat16>;

const reduce_types bfloat16_reductions = {"bfloat16",
                                          element::bfloat16,
                                          typed_bfloat16::composed<true>,
                                          typed_bfloat16::composed<false>,
                                          typed_bfloat16::mean_variance,
                                          nullptr};

}  // namespace rowfold_test

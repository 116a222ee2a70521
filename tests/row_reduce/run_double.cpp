// SPDX-License-Identifier: MIT
// Row reductions of double, each also by the short call of its own: one kernel serves each of them.
#include "row_reduce/typed_row_reduce.cuh"

namespace rowfold_test {

using typed_double = typed_row_reduce<double>;

const reduce_types double_reductions = {"double",
                                        element::float64,
                                        typed_double::composed<true>,
                                        typed_double::composed<false>,
                                        typed_double::mean_variance,
                                        typed_double::one_by_one};

}  // namespace rowfold_test

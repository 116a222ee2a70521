// SPDX-License-Identifier: MIT
// Softmax of half with a scale, a mask and lengths.
#include "softmax/more_sets.hpp"
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set half_masked_softmax =
    typed_softmax<false, __half, __half, double, float, rowfold::row_lengths<int>>::functions(
        "half, scale, float mask, 32-bit lengths");

}  // namespace rowfold_test

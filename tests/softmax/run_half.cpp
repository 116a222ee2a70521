// SPDX-License-Identifier: MIT
// Softmax of half with a scale and a mask.
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set half_masked_softmax =
    typed_softmax<false, __half, __half, double, float>::functions("half, scale, float mask");

}  // namespace rowfold_test

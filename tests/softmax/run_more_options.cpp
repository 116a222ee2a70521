// SPDX-License-Identifier: MIT
// Softmax of the sets that sanitizers do without: half and float with one option or none.
#include "softmax/more_sets.hpp"
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set half_softmax = typed_softmax<false, __half>::functions("half");
const softmax_set float_scaled_softmax = typed_softmax<false, float, float, double>::functions("float, scale");

}  // namespace rowfold_test

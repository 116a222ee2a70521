// SPDX-License-Identifier: MIT
// Log-softmax of float.
#include "softmax/typed_softmax.cuh"

namespace rowfold_test {

const softmax_set float_log_softmax = typed_softmax<true, float>::functions("float");

}  // namespace rowfold_test

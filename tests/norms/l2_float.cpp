// SPDX-License-Identifier: MIT
// L2 normalisation of float.
#include "norms/norm_sets.hpp"
#include "norms/typed_l2_normalize.cuh"

namespace rowfold_test {

const norm_set l2_float = typed_l2_normalize<float, float>::functions("L2, float", element::float32, element::float32);

}  // namespace rowfold_test

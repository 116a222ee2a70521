// SPDX-License-Identifier: MIT
// L2 normalisation of half to float.
#include "norms/norm_sets.hpp"
#include "norms/typed_l2_normalize.cuh"

namespace rowfold_test {

const norm_set l2_half_to_float =
    typed_l2_normalize<__half, float>::functions("L2, half to float", element::float16, element::float32);

}  // namespace rowfold_test

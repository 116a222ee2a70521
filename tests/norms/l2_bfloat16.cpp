// SPDX-License-Identifier: MIT
// L2 normalisation of bfloat16.
#include "norms/norm_sets.hpp"
#include "norms/typed_l2_normalize.cuh"

namespace rowfold_test {

const norm_set l2_bfloat16 =
    typed_l2_normalize<__nv_bfloat16, __nv_bfloat16>::functions("L2, bfloat16", element::bfloat16, element::bfloat16);

}  // namespace rowfold_test

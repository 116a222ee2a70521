// SPDX-License-Identifier: MIT
// LayerNorm with modulation, of bfloat16.
#include "norms/norm_sets.hpp"
#include "norms/typed_ada_norm.cuh"

namespace rowfold_test {

const norm_set ada_layer_bfloat16 =
    typed_ada_norm<norm_op::ada_layer_norm, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16>::functions(
        "AdaLN, bfloat16", element::bfloat16, element::bfloat16, element::bfloat16);

}  // namespace rowfold_test

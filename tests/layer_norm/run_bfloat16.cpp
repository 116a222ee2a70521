// SPDX-License-Identifier: MIT
// LayerNorm of bfloat16.
#include "layer_norm/typed_layer_norm.cuh"

namespace rowfold_test {

const type_set bfloat16_types = typed_layer_norm<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16>::functions(
    "bfloat16", element::bfloat16, element::bfloat16, element::bfloat16);

}  // namespace rowfold_test

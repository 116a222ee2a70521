// SPDX-License-Identifier: MIT
// LayerNorm of float to bfloat16.
#include "layer_norm/typed_layer_norm.cuh"

namespace rowfold_test {

const type_set float_to_bfloat16_types = typed_layer_norm<float, float, __nv_bfloat16>::functions(
    "float to bfloat16", element::float32, element::float32, element::bfloat16);

}  // namespace rowfold_test

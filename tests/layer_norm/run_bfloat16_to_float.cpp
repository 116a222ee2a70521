// SPDX-License-Identifier: MIT
// LayerNorm of bfloat16 to float.
#include "layer_norm/typed_layer_norm.cuh"

namespace rowfold_test {

const type_set bfloat16_to_float_types = typed_layer_norm<__nv_bfloat16, float, float>::functions(
    "bfloat16 to float", element::bfloat16, element::float32, element::float32);

}  // namespace rowfold_test

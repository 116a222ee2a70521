// SPDX-License-Identifier: MIT
// LayerNorm of half.
#include "layer_norm/typed_layer_norm.cuh"

namespace rowfold_test {

const type_set half_types =
    typed_layer_norm<__half, __half, __half>::functions("half", element::float16, element::float16, element::float16);

}  // namespace rowfold_test

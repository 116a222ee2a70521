// SPDX-License-Identifier: MIT
// LayerNorm of bfloat16 with the kernels of three widths alone.
#include "layer_norm/typed_layer_norm.cuh"

namespace rowfold_test {

const type_set three_widths_types =
    typed_layer_norm<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, rowfold::only_columns<64, 768, 4096>>::functions(
        "bfloat16, three widths", element::bfloat16, element::bfloat16, element::bfloat16);

}  // namespace rowfold_test

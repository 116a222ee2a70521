// SPDX-License-Identifier: MIT
// SwiGLU of half to int8 with a scale for each group.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types swiglu_half_per_group =
    typed_swiglu_quantize<__half, __half, signed char, quantize_scale::per_group>::functions(
        "swiglu half to int8 per group", element::float16, element::float16);

}  // namespace quantize
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Quantising float to int8 with a scale for each group.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types quantize_float_per_group = typed_quantize<float, signed char, quantize_scale::per_group>::functions(
    "float to int8 per group", element::float32);

}  // namespace quantize
}  // namespace rowfold_test

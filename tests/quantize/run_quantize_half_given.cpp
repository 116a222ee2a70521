// SPDX-License-Identifier: MIT
// Quantising half to int8 with a given scale.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types quantize_half_given =
    typed_quantize<__half, signed char, quantize_scale::given>::functions("half to int8, given", element::float16);

}  // namespace quantize
}  // namespace rowfold_test

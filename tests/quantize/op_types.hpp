// SPDX-License-Identifier: MIT
// The sets of types that quantising ops are tested for: each is compiled in a run_*.cpp of its name.
#pragma once

#include "quantize/types.hpp"

namespace rowfold_test {
namespace quantize {

extern const op_types quantize_bfloat16_per_row;      // to e4m3
extern const op_types quantize_float_per_group;       // to int8
extern const op_types quantize_half_given;            // to int8
extern const op_types quantize_bfloat16_per_group;    // to e5m2
extern const op_types rms_bfloat16_per_row;           // to e4m3
extern const op_types rms_float_given;                // to e5m2, gamma of half
extern const op_types add_bfloat16_per_row;           // to e4m3, also without y in its type
extern const op_types add_float_with_half_per_group;  // to int8

extern const op_types swiglu_bfloat16_per_row;  // to e4m3
extern const op_types swiglu_half_per_group;    // to int8

}  // namespace quantize
}  // namespace rowfold_test

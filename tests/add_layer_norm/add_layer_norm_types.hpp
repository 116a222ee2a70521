// SPDX-License-Identifier: MIT
// The sets of types that add_layer_norm is tested for, and the norm and reference that it is compared with:
// LayerNorm's.
#pragma once

#include "add_norm/types.hpp"

namespace rowfold_test {
namespace add_norm {

extern const op_types add_layer_norm_float;
extern const op_types add_layer_norm_bfloat16;             // also with full sums
extern const op_types add_layer_norm_bfloat16_with_float;  // residual, sum and parameters of float
extern const op_types add_layer_norm_float_with_half;      // residual, sum, parameters and y of half
extern const op_types add_layer_norm_double;

// The sets that this build holds: all of them, or under a sanitizer float and bfloat16 alone.
const op_list& add_layer_norm_ops();

output layer_norm_of_sums(const input& in, const std::vector<double>& sums);
judgement judge_layer_norm(const input& in, const std::vector<double>& sums, element folded, const output& found);

}  // namespace add_norm
}  // namespace rowfold_test

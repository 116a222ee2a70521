// SPDX-License-Identifier: MIT
// The sets of types that add_rms_norm is tested for, and the norm and reference that it is compared with: RMSNorm's.
#pragma once

#include "add_norm/types.hpp"

namespace rowfold_test {
namespace add_norm {

extern const op_types add_rms_norm_float;
extern const op_types add_rms_norm_bfloat16;             // also with full sums
extern const op_types add_rms_norm_bfloat16_with_float;  // all but x of float
extern const op_types add_rms_norm_float_with_half;      // all but x of half; rounded before the weight
extern const op_types add_rms_norm_double;

// The sets that this build holds: all of them, or under a sanitizer float and bfloat16 alone.
const op_list& add_rms_norm_ops();

output rms_norm_of_sums(const input& in, const std::vector<double>& sums);
judgement judge_rms_norm(const input& in, const std::vector<double>& sums, element folded, const output& found);

}  // namespace add_norm
}  // namespace rowfold_test

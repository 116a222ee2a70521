// SPDX-License-Identifier: MIT
// The sets that builds with a sanitizer leave out.
#pragma once

#include "softmax/softmax_call.hpp"

namespace rowfold_test {

extern const softmax_set half_masked_softmax;  // scale, float mask, 32-bit lengths
extern const softmax_set half_softmax;
extern const softmax_set float_scaled_softmax;
extern const softmax_set bfloat16_to_float_softmax;
extern const softmax_set double_masked_softmax;  // scale
extern const softmax_set float_log_softmax;
extern const softmax_set bfloat16_scaled_log_softmax;
extern const softmax_set double_log_softmax;

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// The sets of element types, one source file each.
#pragma once

#include "norms/norm_call.hpp"

namespace rowfold_test {

extern const norm_set rms_float, rms_bfloat16, rms_half, rms_bfloat16_to_float, rms_double;
extern const norm_set l2_float, l2_bfloat16, l2_half_to_float, l2_double;
extern const norm_set ada_rms_float, ada_layer_bfloat16, ada_rms_half, ada_layer_double;

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// How much shared memory a staged part of a row takes: known to the planner and to the kernel.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// For `elements` elements (complete granules) of `element_bytes`: a multiple of 16, with a word to spare, since a row
// that starts within a word ends within one more.
ROWFOLD_HOST_DEVICE constexpr long long stage_bytes(long long elements, int element_bytes) {
  return (elements * element_bytes + 4 + 15) / 16 * 16;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Powers of two among numbers of lanes, rows and vectors. Host and device.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

ROWFOLD_HOST_DEVICE constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

// The exponent of the greatest power of two that is at most n; 0 for n < 2.
ROWFOLD_HOST_DEVICE constexpr int floor_log2(int n) {
  int log = 0;
  for (; n > 1; n /= 2) ++log;
  return log;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

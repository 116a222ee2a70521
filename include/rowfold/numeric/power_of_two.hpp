// SPDX-License-Identifier: MIT
// Powers of two among numbers of lanes, rows and vectors. Host and device.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

ROWFOLD_HOST_DEVICE constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

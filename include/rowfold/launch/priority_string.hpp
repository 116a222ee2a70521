// SPDX-License-Identifier: MIT
// The L2 priority of a plan as text, for the headers that print plans.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/l2_priority.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// What a plan's label ends with, and a line of its description: nothing for the normal priority.
inline const char* priority_text(l2_priority priority) {
  return priority == l2_priority::evict_last ? ", evict_last" : "";
}
inline const char* priority_line(l2_priority priority) {
  return priority == l2_priority::evict_last ? "  L2: lines of what is read leave last\n" : "";
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Where the rows of a tensor lie with respect to 16-byte granules, for the planners.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// A stride in bytes, modulo 16: of any stride, since one that no row uses may be anything.
constexpr int stride_residue(long long stride, int element_bytes) {
  return static_cast<int>(stride & 15) * element_bytes & 15;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// How willingly the L2 cache lets go of what a kernel reads.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

//   normal     : as every other line
//   evict_last : they are the last to leave, so that what the kernel writes leaves before what it reads
// Launches choose between them: launch/input_priority.hpp.
enum class l2_priority { normal, evict_last };

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

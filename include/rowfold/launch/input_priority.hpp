// SPDX-License-Identifier: MIT
// Which L2 priority the inputs of a call have: the planners' shared answer.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/ptx/l2_priority.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// Of inputs that a call reads once, where what it reads and what it writes are `bytes` together (in place, too, where
// both are the same memory; not measured). evict_last if that is more than L2 holds: on an H200, 2^28 elements then
// took up to 4 % less time (bfloat16 RMSNorm, 4096 columns: 1.000 of a copy, else 0.963; `scale`: 0.994, else 0.953; a
// transpose of 16384 x 16384: 0.955, else 0.940). Calls that fit keep the normal priority: in a chain of kernels that
// find each other's results in L2, each of which reads and writes 32 or 48 MB together, evict_last cost 5 %; with 64 MB
// and more it cost nothing. What ran after large calls took as long (matrix products, passes over 24 MB), but the
// second pass over a matrix of 32 MB, 4 microseconds more. Before sm_80 loads have no priority. All of it is in
// bench/results/h200/checks/l2_priority.json.
constexpr l2_priority input_priority(std::int64_t bytes, const device_info& device, bool always_normal) {
  const bool chooses = !always_normal && device.compute_major >= 8 && device.l2_bytes > 0;
  return chooses && bytes > device.l2_bytes ? l2_priority::evict_last : l2_priority::normal;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

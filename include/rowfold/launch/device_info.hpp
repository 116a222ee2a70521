// SPDX-License-Identifier: MIT
// device_info: what a launch plan needs to know of a device. A plain value: a plan for a device can be made without it.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

struct device_info {
  int compute_major = 0;  // 9 and 0 for sm_90
  int compute_minor = 0;
  int multiprocessors = 0;
  int max_threads_per_multiprocessor = 0;
  int shared_bytes_per_block = 0;           // the most that a kernel can opt in to; 0: not known, 48 KB are there
  int shared_bytes_per_multiprocessor = 0;  // shared by its resident blocks
  int l2_bytes = 0;
};

inline bool operator==(const device_info& a, const device_info& b) {
  return a.compute_major == b.compute_major && a.compute_minor == b.compute_minor &&
         a.multiprocessors == b.multiprocessors &&
         a.max_threads_per_multiprocessor == b.max_threads_per_multiprocessor &&
         a.shared_bytes_per_block == b.shared_bytes_per_block &&
         a.shared_bytes_per_multiprocessor == b.shared_bytes_per_multiprocessor && a.l2_bytes == b.l2_bytes;
}
inline bool operator!=(const device_info& a, const device_info& b) { return !(a == b); }

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

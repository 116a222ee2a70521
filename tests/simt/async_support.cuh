// SPDX-License-Identifier: MIT
// What the tests of asynchronous copies share.
#pragma once

#include "rowfold/launch/current_device.cuh"
#include "support/check.hpp"

namespace rowfold_test {

// Whether the device has mbarriers, bulk copies and clusters (sm_90; the CPU back end has them). Says so if not.
inline bool has_async_copies() {
  rowfold::device_info device;
  require_success(rowfold::current_device_info(device));
  if (device.compute_major >= 9) return true;
  WARN("skipped: this device has no mbarriers with byte counts (sm_90)");
  return false;
}

inline rowfold::launch_config shape_of(unsigned blocks, unsigned threads, std::size_t shared_bytes,
                                       unsigned cluster_blocks = 1) {
  rowfold::launch_config config;
  config.grid_blocks = blocks;
  config.block_threads = threads;
  config.shared_bytes = static_cast<unsigned>(shared_bytes);
  config.cluster_blocks = cluster_blocks;
  return config;
}

}  // namespace rowfold_test

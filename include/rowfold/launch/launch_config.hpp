// SPDX-License-Identifier: MIT
// launch_config: how many blocks of how many threads, and what they share.
#pragma once

#include <driver_types.h>

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

struct launch_config {
  unsigned grid_blocks = 1;       // ≥ 1; a multiple of cluster_blocks
  unsigned block_threads = 1;     // 1 to 1024
  unsigned shared_bytes = 0;      // dynamic shared memory per block
  unsigned cluster_blocks = 1;    // blocks per cluster; 1: no cluster
  cudaStream_t stream = nullptr;  // ignored on the CPU back end, where a launch returns when the grid has finished
  bool programmatic = false;      // may start before the previous grid has ended: see simt/grid.cuh
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

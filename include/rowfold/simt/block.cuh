// SPDX-License-Identifier: MIT
// Barriers of a block.
#pragma once

#include "rowfold/simt/site.hpp"
#include "rowfold/simt/thread.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace simt {

// Waits until every thread of the block is here; orders all accesses to shared and global memory before it ahead of
// those after it, within the block. All threads call it, at the same line.
ROWFOLD_DEVICE void sync_block(site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  __syncthreads();
#else
  cpu::sync_block(where);
#endif
}

// The same for `threads` threads (whole warps; a multiple of 32) that meet at barrier `id`, 1 to 15. They may come from
// different lines.
ROWFOLD_DEVICE void sync_named(unsigned id, unsigned threads, site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  __barrier_sync_count(id, threads);
#else
  cpu::sync_named(id, threads, where);
#endif
}

}  // namespace simt
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

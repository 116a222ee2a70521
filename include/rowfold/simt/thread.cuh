// SPDX-License-Identifier: MIT
// Who the calling thread is: its place in block and grid, in warp and lane. Grids and blocks are one-dimensional.
#pragma once

#include "rowfold/simt/backend.hpp"

#if !defined(__CUDACC__)
#include "rowfold/cpu/executor.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace simt {

constexpr unsigned warp_threads = 32;
constexpr unsigned full_mask = 0xffffffffu;

// The calling thread within its block.
ROWFOLD_DEVICE unsigned thread_rank() {
#if defined(__CUDACC__)
  return threadIdx.x;
#else
  return cpu::current_thread().rank;
#endif
}

// Threads of a block.
ROWFOLD_DEVICE unsigned block_threads() {
#if defined(__CUDACC__)
  return blockDim.x;
#else
  return cpu::current_thread().owner->current_grid().block_threads;
#endif
}

// The block within the grid.
ROWFOLD_DEVICE unsigned block_rank() {
#if defined(__CUDACC__)
  return blockIdx.x;
#else
  return cpu::current_thread().block->rank;
#endif
}

// Blocks of the grid.
ROWFOLD_DEVICE unsigned grid_blocks() {
#if defined(__CUDACC__)
  return gridDim.x;
#else
  return cpu::current_thread().owner->current_grid().blocks;
#endif
}

// The calling thread within its warp, and the warp within its block.
ROWFOLD_DEVICE unsigned lane() { return thread_rank() % warp_threads; }
ROWFOLD_DEVICE unsigned warp_rank() { return thread_rank() / warp_threads; }

}  // namespace simt
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Programmatic dependent launch: overlap of a kernel's start with the end of the one before it in the stream.
//
// Both do nothing below sm_90, on the CPU back end, and in a launch without launch_config::programmatic.
#pragma once

#include "rowfold/ptx/grid_dependency.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace simt {

// Waits until the previous grid has ended and its writes are visible. Every kernel calls it before it touches global
// memory.
ROWFOLD_DEVICE void wait_for_previous_grid() { ptx::grid_dependency_wait(); }

// Lets the next grid start as soon as all blocks have called it or ended. That grid still waits for this one's end
// before it reads. Behind wait_for_previous_grid: before it, blocks of two later grids fill the multiprocessors
// unevenly (row/row_kernel.cuh).
ROWFOLD_DEVICE void allow_next_grid() { ptx::grid_dependency_launch(); }

}  // namespace simt
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

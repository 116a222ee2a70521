// SPDX-License-Identifier: MIT
// The two instructions of programmatic dependent launch; simt/grid.cuh says what they are for. Nothing below sm_90 and
// on the CPU back end, where a grid has ended before the next one starts. (The runtime's functions for them are missing
// under NVRTC.)
#pragma once

#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace ptx {

ROWFOLD_DEVICE void grid_dependency_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

ROWFOLD_DEVICE void grid_dependency_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

}  // namespace ptx
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

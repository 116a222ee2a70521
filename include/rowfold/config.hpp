// SPDX-License-Identifier: MIT
// Which back end compiles this translation unit, and the few macros that differ between them.
//
// The back end is the GPU whenever a CUDA compiler runs (nvcc, NVRTC), otherwise the CPU executor where ROWFOLD_CPU is
// defined (the CMake target rowfold::cpu defines it). Host values live in the version namespace only; everything with
// device code also in the back end's namespace, so that an nvcc object and a g++ object in one binary share no symbol.
#pragma once

#include "rowfold/version.hpp"

#if __cplusplus < 201703L && !defined(_MSC_VER)
#error "rowfold needs C++17"
#endif

// Inline namespace of this version: two versions in one binary do not meet. Before 1.0 every minor version counts.
#define ROWFOLD_ABI v0_1

#if defined(__CUDACC__)
#define ROWFOLD_BACKEND gpu_backend
#define ROWFOLD_DEVICE __device__ __forceinline__
#define ROWFOLD_DEVICE_CALL __device__ __noinline__  // a template that is called: large, and not where time counts
#define ROWFOLD_HOST_DEVICE __host__ __device__ __forceinline__
#define ROWFOLD_UNROLL _Pragma("unroll")
#define ROWFOLD_NO_UNROLL _Pragma("unroll 1")
#define ROWFOLD_UNROLL_BY_PARAMETER _Pragma("unroll Unroll")  // by the template parameter Unroll
#define ROWFOLD_MAX_REGISTERS(n) __maxnreg__(n)
#else
#define ROWFOLD_BACKEND cpu_backend
#define ROWFOLD_DEVICE inline
#define ROWFOLD_DEVICE_CALL inline
#define ROWFOLD_HOST_DEVICE inline
#define ROWFOLD_UNROLL
#define ROWFOLD_NO_UNROLL
#define ROWFOLD_UNROLL_BY_PARAMETER
#define ROWFOLD_MAX_REGISTERS(n)
#endif

// Helpers of host values and of device code share one namespace, whichever header comes first: an inner one that exists
// before the outer one is named is the one that both mean.
namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace detail {}
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// launch: starts a kernel on either back end.
//
// On the GPU through cudaLaunchKernelExC, which returns the launch's own error: the last-error state of earlier calls
// is neither read nor cleared. Nothing is allocated or synchronised, so a launch can be captured into a graph. On the
// CPU back end the grid has run when launch returns; cudaErrorLaunchFailure then means that the kernel misbehaved, and
// cpu::last_error() says how.
#pragma once

#if !defined(__CUDACC_RTC__)

#include "rowfold/launch/launch_config.hpp"
#include "rowfold/simt/backend.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#else
#include "rowfold/cpu/executor.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

#if defined(__CUDACC__)
// Launches `kernel` with the arguments at arguments[0], arguments[1], ...: one function for kernels of all types.
inline cudaError_t launch_kernel(const void* kernel, const launch_config& config, void** arguments) {
  // More than 48 KB of shared memory, or 8 blocks per cluster, must be asked for per kernel and device. That is done
  // beside every such launch: remembering it would need state per device, and it costs little.
  constexpr unsigned always_allowed_shared_bytes = 48 * 1024;
  constexpr unsigned always_allowed_cluster_blocks = 8;
  if (config.shared_bytes > always_allowed_shared_bytes) {
    const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                   static_cast<int>(config.shared_bytes));
    if (error != cudaSuccess) return error;
  }
  if (config.cluster_blocks > always_allowed_cluster_blocks) {
    const cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error != cudaSuccess) return error;
  }
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (config.cluster_blocks > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = config.cluster_blocks;
    attributes[count].val.clusterDim.y = 1;
    attributes[count].val.clusterDim.z = 1;
    ++count;
  }
  if (config.programmatic) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(config.grid_blocks);
  launch.blockDim = dim3(config.block_threads);
  launch.dynamicSmemBytes = config.shared_bytes;
  launch.stream = config.stream;
  launch.attrs = attributes;
  launch.numAttrs = count;
  return cudaLaunchKernelExC(&launch, kernel, arguments);
}
#endif

// Params as the kernel declares them: arguments are converted on the way in, once.
template <class... Params>
struct typed_launch {
#if defined(__CUDACC__)
  static cudaError_t run(void (*kernel)(Params...), const launch_config& config, const Params&... params) {
    void* arguments[] = {const_cast<void*>(static_cast<const void*>(&params))..., nullptr};
    return launch_kernel(reinterpret_cast<const void*>(kernel), config, arguments);
  }
#else
  // Every CUDA thread gets its own copies of the arguments, as on the GPU.
  static cudaError_t run(void (*kernel)(Params...), const launch_config& config, Params... params) {
    const auto call = [&] { kernel(params...); };
    return cpu::run_grid(
        config, [](const void* closure) { (*static_cast<decltype(&call)>(closure))(); }, &call);
  }
#endif
};

}  // namespace detail

// Runs `kernel` with the arguments converted to its parameters' types. Errors: those of cudaLaunchKernelExC and
// cudaFuncSetAttribute; on the CPU back end cudaErrorInvalidConfiguration, cudaErrorInvalidValue or
// cudaErrorInvalidClusterSize for an impossible configuration, cudaErrorLaunchFailure for a kernel that misbehaved.
template <class... Params, class... Args>
[[nodiscard]] cudaError_t launch(void (*kernel)(Params...), const launch_config& config, Args&&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args), "as many arguments as the kernel has parameters");
  return detail::typed_launch<Params...>::run(kernel, config, static_cast<Args&&>(args)...);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif

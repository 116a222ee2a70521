// SPDX-License-Identifier: MIT
// current_device_info: the properties of the device that a launch would go to.
#pragma once

#if !defined(__CUDACC_RTC__)

#include "rowfold/launch/device_info.hpp"
#include "rowfold/simt/backend.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Fills `info` for the calling host thread's current device. Attribute queries only, so it is cheap (each is a look-up
// in the runtime) and allowed while a stream is captured. Errors: those of cudaGetDevice and cudaDeviceGetAttribute;
// `info` is then unchanged. The CPU back end passes for an H200, so that the plans it runs are those that matter on the
// GPU.
[[nodiscard]] inline cudaError_t current_device_info(device_info& info) {
  device_info found;
#if defined(__CUDACC__)
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  struct query {
    int* value;
    cudaDeviceAttr attribute;
  };
  const query queries[] = {
      {&found.compute_major, cudaDevAttrComputeCapabilityMajor},
      {&found.compute_minor, cudaDevAttrComputeCapabilityMinor},
      {&found.multiprocessors, cudaDevAttrMultiProcessorCount},
      {&found.max_threads_per_multiprocessor, cudaDevAttrMaxThreadsPerMultiProcessor},
      {&found.shared_bytes_per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin},
      {&found.shared_bytes_per_multiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
      {&found.l2_bytes, cudaDevAttrL2CacheSize},
  };
  for (const query& each : queries) {
    if (const cudaError_t error = cudaDeviceGetAttribute(each.value, each.attribute, device)) return error;
  }
#else
  found.compute_major = 9;
  found.multiprocessors = 132;
  found.max_threads_per_multiprocessor = 2048;
  found.shared_bytes_per_block = 227 * 1024;
  found.shared_bytes_per_multiprocessor = 228 * 1024;
  found.l2_bytes = 60 * 1024 * 1024;
#endif
  info = found;
  return cudaSuccess;
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif

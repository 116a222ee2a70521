// SPDX-License-Identifier: MIT
//
// The yardstick: the best device-to-device copy of this card in this run, bytes read plus bytes written per second.
// Two ways to copy are timed (the driver's cudaMemcpyAsync, and one-shot kernels with several 16-byte streaming
// accesses per thread) and the faster is the yardstick. Host functions; results by value.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <vector>

#include "random_fill.cuh"
#include "statistics.hpp"
#include "timing.hpp"

namespace rowfold_bench {

/// Each block copies blockDim.x * Vectors 16-byte vectors; all loads of a thread are in flight before its first store.
/// `vectors` is a multiple of blockDim.x * Vectors, one block for each such piece.
template <int Vectors>
__global__ void copy_kernel(const uint4* source, uint4* target) {
  const std::size_t base = static_cast<std::size_t>(blockIdx.x) * blockDim.x * Vectors + threadIdx.x;
  uint4 values[Vectors];
#pragma unroll
  for (int i = 0; i < Vectors; ++i) values[i] = __ldcs(source + base + static_cast<std::size_t>(i) * blockDim.x);
#pragma unroll
  for (int i = 0; i < Vectors; ++i) __stcs(target + base + static_cast<std::size_t>(i) * blockDim.x, values[i]);
}

/// One way to copy, as measured.
struct copy_timing {
  std::string name;
  double bytes_per_second = 0;
  double noise = 0;
};

/// Times every way to copy `bytes` (a multiple of 64 KiB) and returns them, fastest first.
inline std::vector<copy_timing> measure_copies(std::size_t bytes, cudaStream_t stream, const timing_options& options) {
  device_memory source(bytes);
  device_memory target(bytes);
  fill_normal(source.as<float>(), bytes / sizeof(float), 0.0f, 1.0f, 1);
  std::vector<copy_timing> result;
  const auto measure = [&](const char* name, const auto& launch) {
    group_timer<std::decay_t<decltype(launch)>> timer(stream, options, launch);
    std::vector<double> rates;
    for (int group = 0; group < options.groups; ++group)
      rates.push_back(2.0 * static_cast<double>(bytes) / timer.seconds());
    result.push_back({name, median(rates), relative_noise(rates)});
  };
  measure("cudaMemcpyAsync", [&](cudaStream_t s) {
    require(cudaMemcpyAsync(target.data(), source.data(), bytes, cudaMemcpyDeviceToDevice, s), "cudaMemcpyAsync");
  });
  constexpr unsigned threads = 256;
  const auto measure_kernel = [&](const char* name, auto kernel, unsigned vectors) {
    const unsigned blocks = static_cast<unsigned>(bytes / sizeof(uint4) / threads / vectors);
    measure(name, [=, &source, &target](cudaStream_t s) {
      kernel<<<blocks, threads, 0, s>>>(source.as<uint4>(), target.as<uint4>());
      require(cudaPeekAtLastError(), "copy_kernel");
    });
  };
  measure_kernel("copy kernel, 2 vectors per thread", copy_kernel<2>, 2);
  measure_kernel("copy kernel, 4 vectors per thread", copy_kernel<4>, 4);
  std::sort(result.begin(), result.end(),
            [](const copy_timing& a, const copy_timing& b) { return a.bytes_per_second > b.bytes_per_second; });
  return result;
}

}  // namespace rowfold_bench

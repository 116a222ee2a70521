// SPDX-License-Identifier: MIT
//
// Random device arrays, the same for a seed on every machine: element i is a hash of (seed, i), so any thread computes
// it. `fill_normal` is the sum of four uniform values, scaled (close to normal, tails to 3.5 sigma): inputs are
// never constant or zero, which some hardware moves faster. `count_nan` finds outputs that a kernel left unwritten.
// Every thread of a 1-D grid calls the kernels; host wrappers below launch them and return a status.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "device.hpp"

namespace rowfold_bench {

/// SplitMix64 finaliser (Steele, Lea and Flood, 2014): 64 well-mixed bits of one 64-bit value.
__host__ __device__ inline std::uint64_t mix_bits(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ull;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
  return value ^ (value >> 31);
}

__device__ inline void store_rounded(float* target, float value) { *target = value; }
__device__ inline void store_rounded(__half* target, float value) { *target = __float2half_rn(value); }
__device__ inline void store_rounded(__nv_bfloat16* target, float value) { *target = __float2bfloat16_rn(value); }

__device__ inline bool is_nan(float value) { return value != value; }
__device__ inline bool is_nan(__half value) { return is_nan(__half2float(value)); }
__device__ inline bool is_nan(__nv_bfloat16 value) { return is_nan(__bfloat162float(value)); }

template <class T>
__global__ void fill_normal_kernel(T* data, std::size_t count, float mean, float deviation, std::uint64_t seed) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const std::uint64_t bits = mix_bits(seed ^ mix_bits(i));
    float sum = 0;  // four 16-bit uniforms in [0, 1): mean 2, variance 4/12
    for (int part = 0; part < 4; ++part) sum += static_cast<float>((bits >> (16 * part)) & 0xffffu) * 0x1p-16f;
    store_rounded(data + i, mean + deviation * 1.7320508f * (sum - 2.0f));
  }
}

template <class T>
__global__ void count_nan_kernel(const T* data, std::size_t count, unsigned long long* found) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    if (is_nan(data[i])) atomicAdd(found, 1ull);
}

constexpr unsigned helper_blocks = 1024;  // enough to fill any current GPU; these kernels are not timed
constexpr unsigned helper_threads = 256;

/// Fills `count` elements; synchronises the device.
template <class T>
void fill_normal(T* data, std::size_t count, float mean, float deviation, std::uint64_t seed) {
  fill_normal_kernel<T><<<helper_blocks, helper_threads>>>(data, count, mean, deviation, seed);
  require(cudaGetLastError(), "fill_normal_kernel");
  require(cudaDeviceSynchronize(), "fill_normal");
}

/// The number of NaN elements; synchronises the device.
template <class T>
unsigned long long count_nan(const T* data, std::size_t count) {
  device_memory found(sizeof(unsigned long long));
  require(cudaMemset(found.data(), 0, found.bytes()), "cudaMemset");
  count_nan_kernel<T><<<helper_blocks, helper_threads>>>(data, count, found.as<unsigned long long>());
  require(cudaGetLastError(), "count_nan_kernel");
  unsigned long long result = 0;
  require(cudaMemcpy(&result, found.data(), sizeof result, cudaMemcpyDeviceToHost), "count_nan");
  return result;
}

}  // namespace rowfold_bench

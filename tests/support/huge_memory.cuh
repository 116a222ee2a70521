// SPDX-License-Identifier: MIT
// Device memory for tensors of more than 2^31 halves, and how to look at a few of its rows. GPU alone.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/element.hpp"

namespace rowfold_test {

// `count` halves of memory, or null where there is not that much.
class huge_memory {
 public:
  explicit huge_memory(std::int64_t count) : bytes_(static_cast<std::size_t>(count) * 2) {
    std::size_t available = 0;
    std::size_t total = 0;
    require_success(cudaMemGetInfo(&available, &total));
    const std::size_t reserve = std::size_t{1} << 30;
    if (available < bytes_ + reserve) {
      WARN("skipped: " << (bytes_ >> 20) << " MiB needed, " << (available >> 20) << " MiB of device memory free");
      return;
    }
    require_success(cudaMalloc(&memory_, bytes_));
  }
  huge_memory(const huge_memory&) = delete;
  huge_memory& operator=(const huge_memory&) = delete;
  ~huge_memory() { (void)cudaFree(memory_); }

  explicit operator bool() const { return memory_ != nullptr; }
  void* data() { return memory_; }
  void fill(int byte) { require_success(cudaMemset(memory_, byte, bytes_)); }

  void set(std::int64_t first, const std::vector<double>& values) {
    std::vector<unsigned char> image(values.size() * 2);
    for (std::size_t i = 0; i < values.size(); ++i) encode(element::float16, values[i], &image[2 * i]);
    require_success(cudaMemcpy(at(first), image.data(), image.size(), cudaMemcpyHostToDevice));
  }
  // The values there; they become zero.
  std::vector<double> take(std::int64_t first, std::int64_t count) {
    std::vector<unsigned char> image(static_cast<std::size_t>(count) * 2);
    require_success(cudaMemcpy(image.data(), at(first), image.size(), cudaMemcpyDeviceToHost));
    require_success(cudaMemset(at(first), 0, image.size()));
    std::vector<double> values;
    for (std::size_t i = 0; i < image.size(); i += 2) values.push_back(decode(element::float16, &image[i]));
    return values;
  }

 private:
  char* at(std::int64_t first) { return static_cast<char*>(memory_) + 2 * first; }

  std::size_t bytes_;
  void* memory_ = nullptr;
};

static __global__ void count_nonzero_kernel(const std::uint16_t* values, std::int64_t count,
                                            unsigned long long* found) {
  unsigned long long own = 0;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    own += values[i] != 0;
  }
  if (own != 0) atomicAdd(found, own);
}

inline unsigned long long count_nonzero(huge_memory& memory, std::int64_t count) {
  buffer<unsigned long long> found(1);
  found.fill_bytes(0);
  count_nonzero_kernel<<<1024, 256>>>(static_cast<const std::uint16_t*>(memory.data()), count, found.data());
  require_success(cudaGetLastError());
  sync();
  return found.download()[0];
}

}  // namespace rowfold_test

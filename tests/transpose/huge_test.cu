// SPDX-License-Identifier: MIT
// Matrices of more than 2^31 and 2^32 elements: where an index of 32 bits wraps around, signed or unsigned, back rows
// are never written or front rows written twice. GPU alone; skipped, and said so, where memory is short.
#include <cuda_runtime.h>

#include <cstdint>

#include "rowfold/transpose.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

constexpr unsigned blocks = 2048;
constexpr unsigned threads = 256;

// Element i of the input: differs from all elements whose distance is a power of two.
__device__ std::uint8_t element(std::int64_t i) {
  std::uint64_t bits = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  return static_cast<std::uint8_t>(bits >> 17);
}

__global__ void fill_kernel(std::uint8_t* x, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    x[i] = element(i);
  }
}

__global__ void count_wrong_kernel(const std::uint8_t* y, std::int64_t rows, std::int64_t cols,
                                   unsigned long long* wrong) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned long long own = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols; i += step) {
    const std::int64_t r = i % rows;
    const std::int64_t c = i / rows;
    own += y[i] != element(r * cols + c);
  }
  if (own != 0) atomicAdd(wrong, own);
}

// Device memory, or null where there is not that much.
std::uint8_t* allocate(std::int64_t bytes) {
  std::size_t available = 0;
  std::size_t total = 0;
  require_success(cudaMemGetInfo(&available, &total));
  void* memory = nullptr;
  if (available < static_cast<std::size_t>(bytes) + (std::size_t{1} << 30)) {
    WARN("skipped: " << (bytes >> 20) << " MiB needed, " << (available >> 20) << " MiB of device memory free");
  } else {
    require_success(cudaMalloc(&memory, static_cast<std::size_t>(bytes)));
  }
  return static_cast<std::uint8_t*>(memory);
}

void check_huge(std::int64_t rows, std::int64_t cols) {
  INFO(rows << " x " << cols);
  const std::int64_t count = rows * cols;
  std::uint8_t* x = allocate(count);
  std::uint8_t* y = x != nullptr ? allocate(count) : nullptr;
  if (y != nullptr) {
    fill_kernel<<<blocks, threads>>>(x, count);
    require_success(cudaMemset(y, 0, static_cast<std::size_t>(count)));
    require_success(rowfold::transpose(static_cast<const std::uint8_t*>(x), y, 1, rows, cols));
    buffer<unsigned long long> wrong(1);
    wrong.fill_bytes(0);
    count_wrong_kernel<<<blocks, threads>>>(y, rows, cols, wrong.data());
    require_success(cudaGetLastError());
    rowfold_test::sync();
    CHECK(wrong.download()[0] == 0);
  }
  require_success(cudaFree(y));
  require_success(cudaFree(x));
}

}  // namespace

TEST_CASE("more than 2^32 elements") {
  check_huge(65552, 65568);
  check_huge(65537, 65541);
}

TEST_CASE("more than 2^31 rows, and more than 2^31 columns") {
  constexpr std::int64_t long_side = (std::int64_t{1} << 31) + 5;
  check_huge(long_side, 2);
  check_huge(2, long_side);
}

// SPDX-License-Identifier: MIT
// Elementwise over more than 2^32 elements, in place: where an index of 32 bits wraps around, elements would be written
// twice or never. GPU alone; skipped, and said so, where memory is short.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "rowfold/elementwise.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

struct add_one {
  __device__ float operator()(float x) const { return x + 1.0f; }
};

// Element i is (i modulo a prime) plus `more`: neighbouring stretches of any length differ.
__device__ float pattern(std::int64_t i, int more) { return static_cast<float>(i % 251) + static_cast<float>(more); }

__global__ void write_pattern_kernel(__half* x, std::int64_t count) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    x[i] = __float2half_rn(pattern(i, 0));
  }
}

__global__ void count_wrong_kernel(const __half* x, std::int64_t count, int more, unsigned long long* wrong) {
  unsigned long long own = 0;
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads) {
    own += __half2float(x[i]) != pattern(i, more);
  }
  if (own != 0) atomicAdd(wrong, own);
}

unsigned long long count_wrong(const __half* x, std::int64_t count, int more) {
  buffer<unsigned long long> wrong(1);
  wrong.fill_bytes(0);
  count_wrong_kernel<<<1024, 256>>>(x, count, more, wrong.data());
  require_success(cudaGetLastError());
  sync();
  return wrong.download()[0];
}

}  // namespace

TEST_CASE("more than 2^32 elements, in place, in phase and element by element") {
  constexpr std::int64_t count = (std::int64_t{1} << 32) + 1037;
  constexpr std::size_t bytes = 2 * static_cast<std::size_t>(count);
  std::size_t available = 0;
  std::size_t total = 0;
  require_success(cudaMemGetInfo(&available, &total));
  if (available < bytes + (std::size_t{1} << 30)) {
    WARN("skipped: " << (bytes >> 20) << " MiB needed, " << (available >> 20) << " MiB of device memory free");
    return;
  }
  __half* x = nullptr;
  require_success(cudaMalloc(&x, bytes));
  write_pattern_kernel<<<1024, 256>>>(x, count);
  require_success(cudaGetLastError());
  CHECK(count_wrong(x, count, 0) == 0);
  CHECK(count_wrong(x, count, 1) == static_cast<unsigned long long>(count));  // the count itself works

  rowfold::elementwise_args args{rowfold::inputs(x), rowfold::outputs(x), count};
  require_success(rowfold::elementwise(add_one{}, args));
  CHECK(count_wrong(x, count, 1) == 0);
  args.request.elements = true;
  require_success(rowfold::elementwise(add_one{}, args));
  CHECK(count_wrong(x, count, 2) == 0);
  require_success(cudaFree(x));
}

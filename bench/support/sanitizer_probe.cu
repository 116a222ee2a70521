// SPDX-License-Identifier: MIT
//
// Deliberate faults, one for each tool of compute-sanitizer. A clean report means something only on a machine where the
// tool reports these: some virtual machines let it start and see nothing.
//   sanitizer_probe memcheck|racecheck|initcheck|synccheck

#include <cuda_runtime.h>

#include <cstdio>
#include <string>

namespace {

/// memcheck: the last thread of one block writes behind the allocation. initcheck: reads memory that nobody wrote.
__global__ void shift_kernel(int* data, int distance) { data[threadIdx.x] = data[threadIdx.x + distance] + 1; }

/// racecheck: a thread reads what a thread of another warp wrote, with no barrier between.
__global__ void race_kernel(int* data) {
  __shared__ int shared[64];
  shared[threadIdx.x] = data[threadIdx.x];
  data[threadIdx.x] = shared[63 - threadIdx.x];
}

/// synccheck: half of the warp waits for a barrier whose mask does not name it.
__global__ void barrier_kernel(int* data) {
  __syncwarp(0x0000ffffu);
  data[threadIdx.x] = 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string tool = argc == 2 ? argv[1] : "";
  constexpr int threads = 64;
  int* data = nullptr;
  if (cudaMalloc(&data, 2 * threads * sizeof(int)) != cudaSuccess) {
    std::fprintf(stderr, "sanitizer_probe: no usable CUDA device\n");
    return 2;
  }
  const bool initialise = tool != "initcheck";
  if (initialise && cudaMemset(data, 0, 2 * threads * sizeof(int)) != cudaSuccess) return 2;
  if (tool == "memcheck") {
    shift_kernel<<<1, threads>>>(data + threads, threads);
  } else if (tool == "initcheck") {
    shift_kernel<<<1, threads>>>(data, threads);
  } else if (tool == "racecheck") {
    race_kernel<<<1, threads>>>(data);
  } else if (tool == "synccheck") {
    barrier_kernel<<<1, 32>>>(data);
  } else {
    std::fprintf(stderr, "usage: sanitizer_probe memcheck|racecheck|initcheck|synccheck\n");
    return 2;
  }
  static_cast<void>(cudaDeviceSynchronize());  // it may report the fault itself: the tool's report is what counts
  return 0;
}

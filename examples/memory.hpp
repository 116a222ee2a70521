// SPDX-License-Identifier: MIT
// What the small examples need besides the library: memory that kernels can use, and a check of error codes. Device
// memory on the GPU, plain memory where rowfold::cpu compiles the example for the CPU executor.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#if defined(ROWFOLD_CPU) && !defined(__CUDACC__)
#define EXAMPLES_ON_CPU 1
#include "rowfold/cpu/executor.hpp"
#else
#define EXAMPLES_ON_CPU 0
#endif

// Ends the program with a sentence unless `error` is cudaSuccess.
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
#if EXAMPLES_ON_CPU
  std::fprintf(stderr, "error %d: %s\n", static_cast<int>(error), rowfold::cpu::last_error());
#else
  std::fprintf(stderr, "error %d: %s\n", static_cast<int>(error), cudaGetErrorString(error));
#endif
  std::exit(1);
}

// An array of a plain type that kernels can read and write.
template <class T>
class device_array {
 public:
  explicit device_array(const std::vector<T>& values) : size_(values.size()) {
#if EXAMPLES_ON_CPU
    data_ = static_cast<T*>(std::malloc(bytes()));
    std::memcpy(data_, values.data(), bytes());
#else
    check(cudaMalloc(&data_, bytes()));
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
#endif
  }
  explicit device_array(std::size_t size) : device_array(std::vector<T>(size)) {}
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() {
#if EXAMPLES_ON_CPU
    std::free(data_);
#else
    cudaFree(data_);
#endif
  }

  T* data() const { return data_; }

  // The values, once everything launched before has finished.
  std::vector<T> values() const {
    std::vector<T> result(size_);
#if EXAMPLES_ON_CPU
    std::memcpy(result.data(), data_, bytes());
#else
    check(cudaMemcpy(result.data(), data_, bytes(), cudaMemcpyDeviceToHost));
#endif
    return result;
  }

 private:
  std::size_t bytes() const { return size_ * sizeof(T); }

  T* data_ = nullptr;
  std::size_t size_;
};

// Prints rows of numbers, and returns whether each is within `tolerance` of what is expected.
inline bool print_and_compare(const std::vector<float>& values, const std::vector<float>& expected, int cols,
                              float tolerance) {
  bool close = values.size() == expected.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::printf("%9.5f%s", static_cast<double>(values[i]), (i + 1) % static_cast<std::size_t>(cols) == 0 ? "\n" : " ");
    close = close && std::abs(values[i] - expected[i]) <= tolerance;
  }
  if (!close) std::printf("not what was expected\n");
  return close;
}

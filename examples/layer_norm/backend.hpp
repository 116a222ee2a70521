// SPDX-License-Identifier: MIT
// What the layer_norm tool's main program asks of a back end: cpu.cpp answers for the CPU executor, gpu.cu for the GPU,
// both in one binary. Plain host code.
#pragma once

#include <cuda_runtime.h>
// The runtime's header comes first: the two below rely on it under a host compiler.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <string>

// Rows in host memory, rows x cols elements each of x and y without gaps; gamma and beta may be null.
template <class T>
struct problem {
  const T* x;
  const float* gamma;
  const float* beta;
  T* y;
  std::int64_t rows;
  int cols;
  double eps;
};

// One measurement on the GPU: the median time of a launch, the bytes an ideal kernel would have to move, and the time a
// device-to-device copy of x takes in the same run.
struct timing {
  std::int64_t rows = 0;
  double microseconds = 0;
  double bytes = 0;
  double copy_microseconds = 0;
  double copy_bytes = 0;
};

struct outcome {
  std::string error;  // empty: y is computed
  std::string device;
  std::string plan;         // in one line
  std::string explanation;  // in a few, with the reasons
  timing as_given;          // rows == 0: not measured
  timing repeated;          // the rows repeated until they fill far more than the caches
};

// Computes y on the CPU executor. T: float, __half, __nv_bfloat16.
template <class T>
outcome run_on_cpu(const problem<T>& task);

// The same on the current GPU, with time measured. Only in builds with a CUDA compiler.
template <class T>
outcome run_on_gpu(const problem<T>& task);

// Empty where run_on_gpu() can work, otherwise why not.
std::string why_no_gpu();

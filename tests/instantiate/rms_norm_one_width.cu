// SPDX-License-Identifier: MIT
// RMSNorm for one set of types and one width, as a model's file would instantiate it.
// Kernels: 1
// Compile time: at most 2.0
// Rows in registers: a block of 4 granules a thread, whose parameters are always asked for early.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/rms_norm.cuh"

cudaError_t rms_norm_4096(const __nv_bfloat16* x, const __nv_bfloat16* gamma, __nv_bfloat16* y, std::int64_t rows,
                          cudaStream_t stream) {
  using namespace rowfold;
  return rms_norm<weight_rounding::none, accurate_math, only_columns<4096>>(x, gamma, y, rows, 4096, 1e-6, stream);
}

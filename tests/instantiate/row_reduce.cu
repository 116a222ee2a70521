// SPDX-License-Identifier: MIT
// A row reduction for one set of types, as a user's file would instantiate it: compiled for every supported
// architecture, its kernels counted, its compile time measured.
// Kernels: 3
// Compile time: at most 2
// Rows that are folded once: streamed by part of a warp or by a block; any address through shared memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/row_reduce.cuh"

cudaError_t row_sum_bfloat16(const __nv_bfloat16* x, float* sum, std::int64_t rows, int cols, cudaStream_t stream) {
  return rowfold::row_sum(x, sum, rows, cols, stream);
}

// SPDX-License-Identifier: MIT
// Log-softmax for one set of types, as a user's file would instantiate it: compiled for every supported architecture,
// its kernels counted, its compile time measured.
// Kernels: 6
// Compile time: at most 2.6
// As softmax.cu.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/log_softmax.cuh"

cudaError_t log_softmax_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t rows, int cols,
                                 cudaStream_t stream) {
  return rowfold::log_softmax(x, y, rows, cols, stream);
}

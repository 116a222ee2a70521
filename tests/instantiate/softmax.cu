// SPDX-License-Identifier: MIT
// Softmax for one set of types, as a user's file would instantiate it: compiled for every supported architecture, its
// kernels counted, its compile time measured.
// Kernels: 6
// Compile time: at most 2.5
// Whole granules, 2 or 4 a lane in part of a warp, 2 in each of 4 lanes, 4 in a block; in shared memory: whole
// granules, any address.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/softmax.cuh"

cudaError_t softmax_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t rows, int cols,
                             cudaStream_t stream) {
  return rowfold::softmax(x, y, rows, cols, stream);
}

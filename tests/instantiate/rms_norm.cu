// SPDX-License-Identifier: MIT
// RMSNorm for one set of types, as a user's file would instantiate it: compiled for every supported architecture, its
// kernels counted, its compile time measured.
// Kernels: 11
// Compile time: at most 3
// Whole granules in part of a warp: 2, 3, 4 or 5 a lane, or 2 in each of 4 lanes; in a block: 3, 4 or 5; in shared memory:
// whole granules, any address.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/rms_norm.cuh"

cudaError_t rms_norm_bfloat16(const __nv_bfloat16* x, const __nv_bfloat16* gamma, __nv_bfloat16* y, std::int64_t rows,
                              int cols, cudaStream_t stream) {
  return rowfold::rms_norm(x, gamma, y, rows, cols, 1e-6, stream);
}

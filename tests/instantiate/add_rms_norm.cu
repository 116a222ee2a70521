// SPDX-License-Identifier: MIT
// Residual addition + RMSNorm for one set of types, as a user's file would instantiate it: compiled for every supported
// architecture, its kernels counted, its compile time measured.
// Kernels: 6
// Compile time: at most 2.8
// Rows in registers: in part of a warp, 3 or 4 granules a lane, or 2 in each of 4 lanes; in a block, 4. Rows in shared
// memory: of whole granules; at any address.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/add_rms_norm.cuh"

cudaError_t add_rms_norm_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* gamma,
                                  __nv_bfloat16* y, std::int64_t rows, int cols, cudaStream_t stream) {
  return rowfold::add_rms_norm(x, residual, gamma, y, residual, rows, cols, 1e-6, stream);
}

// SPDX-License-Identifier: MIT
// LayerNorm for one set of types, as a user's file would instantiate it: compiled for every supported architecture, its
// kernels counted, its compile time measured.
// Kernels: 9
// Compile time: at most 3.3
// Rows in registers: in part of a warp, 2, 3, 4 or 5 granules a lane, or 2 in each of 4 lanes; in a block, 4, whose
// parameters are asked for early or late. Rows in shared memory: of whole granules; at any address.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/layer_norm.cuh"

cudaError_t layer_norm_bfloat16(const __nv_bfloat16* x, const __nv_bfloat16* gamma, const __nv_bfloat16* beta,
                                __nv_bfloat16* y, std::int64_t rows, int cols, cudaStream_t stream) {
  return rowfold::layer_norm(x, gamma, beta, y, rows, cols, 1e-5, stream);
}

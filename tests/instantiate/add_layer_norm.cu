// SPDX-License-Identifier: MIT
// Residual addition + LayerNorm for one set of types, as a user's file would instantiate it: compiled for every
// supported architecture, its kernels counted, its compile time measured.
// Kernels: 9
// Compile time: at most 3.75
// Rows in registers: in part of a warp, 2, 3, 4 or 5 granules a lane, or 2 in each of 4 lanes; in a block, 4, whose
// parameters are asked for early or late. Rows in shared memory: of whole granules; at any address.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/add_layer_norm.cuh"

cudaError_t add_layer_norm_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* residual, const __nv_bfloat16* gamma,
                                    const __nv_bfloat16* beta, __nv_bfloat16* y, std::int64_t rows, int cols,
                                    cudaStream_t stream) {
  return rowfold::add_layer_norm(x, residual, gamma, beta, y, residual, rows, cols, 1e-5, stream);
}

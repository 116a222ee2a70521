// SPDX-License-Identifier: MIT
// Quantising with a scale for each row, for one set of types, as a user's file would instantiate it: compiled for every
// supported architecture, its kernels counted, its compile time measured.
// Kernels: 6
// Compile time: at most 2.4
// Rows in registers: in part of a warp, 3 or 4 granules a lane, or 2 in each of 4 lanes; in a block, 4. Rows in shared
// memory: of whole granules; at any address.
#include <cuda_bf16.h>

#include "rowfold/quantize.cuh"

cudaError_t quantize_bfloat16_to_e4m3(const __nv_bfloat16* x, __nv_fp8_e4m3* q, float* scale, std::int64_t rows,
                                      int cols, cudaStream_t stream) {
  return rowfold::quantize(x, q, scale, rows, cols, stream);
}

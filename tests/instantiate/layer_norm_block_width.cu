// SPDX-License-Identifier: MIT
// LayerNorm for one set of types and one width, whose rows a block has.
// Kernels: 2
// Compile time: at most 2.3
// Rows in registers: a block of 4 granules a thread, whose parameters are asked for early or late.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/layer_norm.cuh"

cudaError_t layer_norm_4096(const __nv_bfloat16* x, const __nv_bfloat16* gamma, const __nv_bfloat16* beta,
                            __nv_bfloat16* y, std::int64_t rows, cudaStream_t stream) {
  using rowfold::accurate_math;
  using rowfold::only_columns;
  return rowfold::layer_norm<accurate_math, only_columns<4096>>(x, gamma, beta, y, rows, 4096, 1e-5, stream);
}

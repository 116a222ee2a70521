// SPDX-License-Identifier: MIT
// LayerNorm for one set of types and one width, as a model's file would instantiate it.
// Kernels: 1
// Compile time: at most 2.0
// Rows in registers: 3 granules a lane of part of a warp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/layer_norm.cuh"

cudaError_t layer_norm_768(const __nv_bfloat16* x, const __nv_bfloat16* gamma, const __nv_bfloat16* beta,
                           __nv_bfloat16* y, std::int64_t rows, cudaStream_t stream) {
  using rowfold::accurate_math;
  using rowfold::only_columns;
  return rowfold::layer_norm<accurate_math, only_columns<768>>(x, gamma, beta, y, rows, 768, 1e-5, stream);
}

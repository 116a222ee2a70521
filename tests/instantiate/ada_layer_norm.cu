// SPDX-License-Identifier: MIT
// Adaptive LayerNorm for one set of types, as a user's file would instantiate it: compiled for every supported
// architecture, its kernels counted, its compile time measured.
// Kernels: 9
// Compile time: at most 3.5
// Those of layer_norm.cu.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/ada_norm.cuh"

cudaError_t ada_layer_norm_bfloat16(const __nv_bfloat16* x, const __nv_bfloat16* scale, const __nv_bfloat16* shift,
                                    __nv_bfloat16* y, std::int64_t rows, int cols, std::int64_t rows_per_group,
                                    cudaStream_t stream) {
  return rowfold::ada_layer_norm(x, scale, shift, y, rows, cols, rows_per_group, 1e-6, stream);
}

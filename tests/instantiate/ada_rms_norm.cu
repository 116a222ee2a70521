// SPDX-License-Identifier: MIT
// Adaptive RMSNorm for one set of types, as a user's file would instantiate it: compiled for every supported
// architecture, its kernels counted, its compile time measured.
// Kernels: 7
// Compile time: at most 2.75
// Those of rms_norm.cu, and one more of a block: parameters are asked for early or late.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/ada_norm.cuh"

cudaError_t ada_rms_norm_bfloat16(const __nv_bfloat16* x, const __nv_bfloat16* scale, const __nv_bfloat16* shift,
                                  __nv_bfloat16* y, std::int64_t rows, int cols, std::int64_t rows_per_group,
                                  cudaStream_t stream) {
  return rowfold::ada_rms_norm(x, scale, shift, y, rows, cols, rows_per_group, 1e-6, stream);
}

// SPDX-License-Identifier: MIT
// L2 normalisation for one set of types, as a user's file would instantiate it: compiled for every supported
// architecture, its kernels counted, its compile time measured.
// Kernels: 6
// Compile time: at most 2.3
// Those of rms_norm.cu.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/l2_normalize.cuh"

cudaError_t l2_normalize_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t rows, int cols,
                                  cudaStream_t stream) {
  return rowfold::l2_normalize(x, y, rows, cols, 1e-12, stream);
}

// SPDX-License-Identifier: MIT
// RMSNorm with fp8 results and a scale for each row, for one set of types, as a user's file would instantiate it:
// compiled for every supported architecture, its kernels counted, its compile time measured.
// Kernels: 8
// Compile time: at most 3.3
// As layer_norm.cu, but that a block has one kernel: what the map makes is kept, and the weight asked for early.
#include <cuda_bf16.h>

#include "rowfold/rms_norm_quantize.cuh"

cudaError_t rms_norm_bfloat16_to_e4m3(const __nv_bfloat16* x, const __nv_bfloat16* gamma, __nv_fp8_e4m3* q,
                                      float* scale, std::int64_t rows, int cols, cudaStream_t stream) {
  return rowfold::rms_norm_quantize(x, gamma, q, scale, rows, cols, 1e-6, stream);
}

// SPDX-License-Identifier: MIT
// SwiGLU with fp8 results and a scale for each row, for one set of types, as a user's file would instantiate it:
// compiled for every supported architecture, its kernels counted, its compile time measured.
// Kernels: 6
// Compile time: at most 2.7
// As quantize.cu.
#include <cuda_bf16.h>

#include "rowfold/swiglu_quantize.cuh"

cudaError_t swiglu_bfloat16_to_e4m3(const __nv_bfloat16* x, __nv_fp8_e4m3* q, float* scale, std::int64_t rows, int cols,
                                    cudaStream_t stream) {
  return rowfold::swiglu_quantize(x, q, scale, rows, cols, stream);
}

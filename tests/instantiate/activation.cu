// SPDX-License-Identifier: MIT
// GELU for one set of types, as a user's file would instantiate it: compiled for every supported architecture, its
// kernels counted, its compile time measured.
// Kernels: 2
// Compile time: at most 1.5
// Both of an elementwise op: tensors in phase, any others.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/activation.cuh"

cudaError_t gelu_bfloat16(const __nv_bfloat16* x, __nv_bfloat16* y, std::int64_t count, cudaStream_t stream) {
  return rowfold::activation(rowfold::gelu{}, x, y, count, stream);
}

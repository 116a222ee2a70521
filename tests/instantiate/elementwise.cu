// SPDX-License-Identifier: MIT
// An elementwise op for one function and one set of types, as a user's file would instantiate it: compiled for every
// supported architecture, its kernels counted, its compile time measured.
// Kernels: 2
// Compile time: at most 1.5
// One for tensors in phase, one for any others.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/elementwise.cuh"

namespace {
struct add {
  __device__ float operator()(float a, float b) const { return a + b; }
};
}  // namespace

cudaError_t vector_add_bfloat16(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* y, std::int64_t count,
                                cudaStream_t stream) {
  return rowfold::elementwise(add{}, rowfold::inputs(a, b), rowfold::outputs(y), count, stream);
}

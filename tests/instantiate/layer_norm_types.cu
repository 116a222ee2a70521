// SPDX-License-Identifier: MIT
// LayerNorm for the whole type set and some mixtures: every kernel of it must compile without spills and local memory.
// Kernels: 67
// 9 for each set of types with a 16-bit x, 6 with float, 1 with double.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/layer_norm.cuh"

template <class X, class Gamma, class Beta, class Y>
cudaError_t instantiate() {
  return rowfold::layer_norm(rowfold::layer_norm_args<X, Gamma, Beta, Y>{});
}

// The full type set: same type throughout, bfloat16 in and float out, float in and bfloat16 out, double.
template cudaError_t instantiate<float, float, float, float>();
template cudaError_t instantiate<__half, __half, __half, __half>();
template cudaError_t instantiate<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16>();
template cudaError_t instantiate<__nv_bfloat16, float, float, float>();
template cudaError_t instantiate<float, float, float, __nv_bfloat16>();
template cudaError_t instantiate<double, double, double, double>();
// Mixtures that models use: parameters in float, gamma and beta of two types, half to float.
template cudaError_t instantiate<__half, float, float, __half>();
template cudaError_t instantiate<__nv_bfloat16, float, __nv_bfloat16, __nv_bfloat16>();
template cudaError_t instantiate<__half, __half, __half, float>();

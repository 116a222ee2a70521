// SPDX-License-Identifier: MIT
// LayerNorm over channels for the whole type set and some mixtures: every kernel of it must compile without spills and
// local memory.
// Kernels: 58
// 9 for each set of types with a 16-bit x, 7 with float, 1 with double.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/layer_norm_channels_first.cuh"

template <class X, class Gamma, class Beta, class Y>
cudaError_t instantiate() {
  return rowfold::layer_norm_channels_first(rowfold::layer_norm_channels_first_args<X, Gamma, Beta, Y>{});
}

template cudaError_t instantiate<float, float, float, float>();
template cudaError_t instantiate<__half, __half, __half, __half>();
template cudaError_t instantiate<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16>();
template cudaError_t instantiate<__nv_bfloat16, float, float, float>();
template cudaError_t instantiate<float, float, float, __nv_bfloat16>();
template cudaError_t instantiate<float, float, float, double>();
template cudaError_t instantiate<double, double, double, double>();
template cudaError_t instantiate<__half, float, float, __half>();

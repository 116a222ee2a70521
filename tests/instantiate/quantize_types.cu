// SPDX-License-Identifier: MIT
// Quantising ops for sets of types that the tests of the ops do not compile: every kernel must do without spills and
// local memory.
// Kernels: 43
// With a 16-bit x 6 where rows are folded once and 8 where twice (a norm, then a scale for each row); with float 5 and
// 6.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/add_rms_norm_quantize.cuh"
#include "rowfold/quantize.cuh"
#include "rowfold/rms_norm_quantize.cuh"
#include "rowfold/swiglu_quantize.cuh"

using rowfold::quantize_scale;

template <class X, class Q, quantize_scale Mode>
cudaError_t quantize() {
  return rowfold::quantize(rowfold::quantize_args<X, Q, Mode>{});
}
template <class X, class Q, quantize_scale Mode, class Gamma, class Y>
cudaError_t rms_norm_quantize() {
  return rowfold::rms_norm_quantize(rowfold::rms_norm_quantize_args<X, Q, Mode, Gamma, rowfold::absent, Y>{});
}
template <class X, class Q, quantize_scale Mode>
cudaError_t add_rms_norm_quantize() {
  return rowfold::add_rms_norm_quantize(rowfold::add_rms_norm_quantize_args<X, Q, Mode>{});
}

template cudaError_t rowfold::swiglu_quantize(
    const rowfold::gated_quantize_args<__half, __nv_fp8_e4m3, quantize_scale::per_row, __half, __half>&, cudaStream_t);
template cudaError_t quantize<float, __nv_fp8_e4m3, quantize_scale::per_row>();
template cudaError_t rms_norm_quantize<float, signed char, quantize_scale::per_row, float, rowfold::absent>();
template cudaError_t rms_norm_quantize<__half, signed char, quantize_scale::per_row, __half, __half>();
template cudaError_t
rms_norm_quantize<__nv_bfloat16, __nv_fp8_e4m3, quantize_scale::per_group, __nv_bfloat16, rowfold::absent>();
template cudaError_t add_rms_norm_quantize<__half, signed char, quantize_scale::per_group>();
template cudaError_t add_rms_norm_quantize<__nv_bfloat16, __nv_fp8_e4m3, quantize_scale::given>();

// SPDX-License-Identifier: MIT
// Gated activations of all types, forms and activations, alone and in front of a norm: every kernel must compile
// without spills and local memory.
// Kernels: 56
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/gated_activation.cuh"
#include "rowfold/layer_norm.cuh"
#include "rowfold/rms_norm.cuh"

namespace {

template <class Activation, class Gate, class Value, class Y>
cudaError_t two_tensors() {
  return rowfold::gated_activation(Activation{}, rowfold::gated_args<Gate, Value, Y>{});
}
template <class Activation, class X, class Y, rowfold::gate_place Place>
cudaError_t interleaved() {
  return rowfold::gated_activation(Activation{}, rowfold::interleaved_gated_args<X, Y, Place>{});
}

// LayerNorm of a gated activation.
template <class Source>
cudaError_t normalized(const Source& source) {
  const auto folds = rowfold::normalize_stages<float>(64, 1e-5f, Source::granule, 4);
  const rowfold::affine_map<float, float> affine{nullptr, nullptr};
  const rowfold::plain_sink<__nv_bfloat16> sink{nullptr, rowfold::row_layout::strided(64)};
  return rowfold::fold_rows({1, 64}, source, folds, rowfold::chain(rowfold::normalize_map{}, affine), sink);
}

}  // namespace

cudaError_t all_of_them() {
  using bf16 = __nv_bfloat16;
  using rowfold::gate_place;
  const cudaError_t results[] = {
      two_tensors<rowfold::silu, float, float, float>(),
      two_tensors<rowfold::silu, __half, __half, __half>(),
      two_tensors<rowfold::silu, bf16, bf16, bf16>(),
      two_tensors<rowfold::silu, double, double, double>(),
      two_tensors<rowfold::silu, bf16, float, float>(),
      two_tensors<rowfold::gelu, float, float, float>(),
      two_tensors<rowfold::gelu, bf16, bf16, bf16>(),
      two_tensors<rowfold::gelu, __half, __half, float>(),
      two_tensors<rowfold::gelu, double, double, double>(),
      two_tensors<rowfold::gelu_tanh, float, bf16, __half>(),
      two_tensors<rowfold::gelu_tanh, bf16, bf16, bf16>(),
      two_tensors<rowfold::relu, bf16, bf16, bf16>(),
      two_tensors<rowfold::sigmoid, bf16, bf16, bf16>(),
      two_tensors<rowfold::quick_gelu, bf16, bf16, bf16>(),
      interleaved<rowfold::silu, bf16, bf16, gate_place::even_columns>(),
      interleaved<rowfold::gelu, __half, float, gate_place::odd_columns>(),
      interleaved<rowfold::gelu_tanh, float, bf16, gate_place::odd_columns>(),
      normalized(rowfold::gated_halves(rowfold::silu{}, static_cast<const bf16*>(nullptr), 64)),
      normalized(rowfold::gated_interleaved(rowfold::gelu{}, static_cast<const float*>(nullptr), 64)),
      normalized(rowfold::gated_pair(rowfold::gelu{}, static_cast<const __half*>(nullptr),
                                     static_cast<const bf16*>(nullptr), 64)),
  };
  for (const cudaError_t result : results) {
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}

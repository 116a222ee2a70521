// SPDX-License-Identifier: MIT
// Cross-entropy for all types of logits and labels, with all options: every kernel of it must compile without spills
// and local memory.
// Kernels: 18
// 6 for each type of logits: 3 without options, 3 with smoothed labels and soft-capped logits. Labels add none.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/cross_entropy.cuh"

template <class X, class Label>
cudaError_t instantiate() {
  return rowfold::cross_entropy(rowfold::cross_entropy_args<X, Label>{});
}

template cudaError_t instantiate<float, int>();
template cudaError_t instantiate<float, std::int64_t>();
template cudaError_t instantiate<__half, int>();
template cudaError_t instantiate<__nv_bfloat16, std::int64_t>();

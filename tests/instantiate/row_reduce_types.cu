// SPDX-License-Identifier: MIT
// Each statistic alone, for every element type: every kernel of it must compile without spills and local memory.
// Kernels: 142
// 3 for each statistic of each type, but of the variance 8 (5 of float); 1 of double.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/row_reduce.cuh"

namespace statistic = rowfold::statistic;

template <class X, class... Statistics>
cudaError_t instantiate(Statistics... list) {
  return rowfold::row_reduce(rowfold::row_reduce_args<X, Statistics...>{nullptr, 0, 0, rowfold::statistics(list...)});
}

template <class X>
cudaError_t instantiate_each(float* value, int* column, bool* flag) {
  const cudaError_t errors[] = {
      instantiate<X>(statistic::sum(value)),         instantiate<X>(statistic::mean(value)),
      instantiate<X>(statistic::variance(value, 0)), instantiate<X>(statistic::min(value)),
      instantiate<X>(statistic::max(value)),         instantiate<X>(statistic::arg_min(column)),
      instantiate<X>(statistic::arg_max(column)),    instantiate<X>(statistic::l1_norm(value)),
      instantiate<X>(statistic::l2_norm(value)),     instantiate<X>(statistic::abs_max(value)),
      instantiate<X>(statistic::log_sum_exp(value)), instantiate<X>(statistic::any_nonfinite(flag)),
      instantiate<X>(statistic::all_finite(flag)),
  };
  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

template cudaError_t instantiate_each<float>(float*, int*, bool*);
template cudaError_t instantiate_each<__half>(float*, int*, bool*);
template cudaError_t instantiate_each<__nv_bfloat16>(float*, int*, bool*);
template cudaError_t instantiate_each<double>(float*, int*, bool*);

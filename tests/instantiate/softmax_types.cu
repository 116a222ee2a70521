// SPDX-License-Identifier: MIT
// Softmax and log-softmax for more types and for their options: every kernel must compile without spills and local
// memory. Kernels: 81
// 6 for each set with a granule of 8 columns or more, 5 for the others (no kernel of 4 lanes), 1 with double.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/log_softmax.cuh"
#include "rowfold/softmax.cuh"

using rowfold::absent;
using rowfold::causal_columns;
using rowfold::row_lengths;

template <class... Types>
cudaError_t instantiate_softmax() {
  return rowfold::softmax(rowfold::softmax_args<Types...>{});
}
template <class... Types>
cudaError_t instantiate_log_softmax() {
  return rowfold::log_softmax(rowfold::softmax_args<Types...>{});
}

// Types.
template cudaError_t instantiate_softmax<float, float>();
template cudaError_t instantiate_softmax<__half, __half>();
template cudaError_t instantiate_softmax<__nv_bfloat16, float>();
template cudaError_t instantiate_softmax<float, __nv_bfloat16>();
template cudaError_t instantiate_softmax<double, double>();
// Options.
template cudaError_t instantiate_softmax<float, float, double>();
template cudaError_t instantiate_softmax<float, float, absent, float>();
template cudaError_t instantiate_softmax<__half, __half, double, float>();
template cudaError_t instantiate_softmax<__nv_bfloat16, __nv_bfloat16, double, absent, causal_columns>();
template cudaError_t instantiate_softmax<__nv_bfloat16, __nv_bfloat16, absent, absent, row_lengths<int>>();
template cudaError_t instantiate_softmax<__half, __half, double, float, row_lengths<int>>();
template cudaError_t instantiate_softmax<float, float, double, __nv_bfloat16,
                                         rowfold::fewer_columns<causal_columns, row_lengths<std::int64_t>>>();
// The logarithm.
template cudaError_t instantiate_log_softmax<float, float>();
template cudaError_t instantiate_log_softmax<__nv_bfloat16, float>();
template cudaError_t instantiate_log_softmax<double, double>();
template cudaError_t instantiate_log_softmax<__half, float, double, float, row_lengths<int>>();

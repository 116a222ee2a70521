// SPDX-License-Identifier: MIT
// A row reduction that looks at its rows twice, for one set of types, as a user's file would instantiate it: compiled
// for every supported architecture, its kernels counted, its compile time measured.
// Kernels: 8
// Compile time: at most 2.8
// Whole granules in part of a warp: 2, 3, 4 or 5 a lane, or 2 in each of 4 lanes; in a block: 4; through shared
// memory, aligned or not.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/row_reduce.cuh"

cudaError_t row_mean_variance_bfloat16(const __nv_bfloat16* x, float* mean, float* variance, std::int64_t rows,
                                       int cols, cudaStream_t stream) {
  namespace statistic = rowfold::statistic;
  return rowfold::row_reduce(x, rows, cols,
                             rowfold::statistics(statistic::mean(mean), statistic::variance(variance, 1)), stream);
}

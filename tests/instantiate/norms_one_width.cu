// SPDX-License-Identifier: MIT
// The other norms for one set of types and one width: the template parameter reaches each op's kernels.
// Kernels: 5
// Compile time: at most 3.4
// Rows in registers: 3 or 4 granules a lane of part of a warp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/add_rms_norm.cuh"
#include "rowfold/dropout_add_layer_norm.cuh"
#include "rowfold/rms_norm.cuh"

using element = __nv_bfloat16;
using widths = rowfold::only_columns<768>;
using root = rowfold::accurate_math;
constexpr auto stored = rowfold::residual_rounding::stored;
constexpr auto before_gamma = rowfold::weight_rounding::before_gamma;

cudaError_t norms_768(const element* x, const element* residual, const element* gamma, const element* beta, element* y,
                      element* sum, std::int64_t rows, cudaStream_t stream) {
  using namespace rowfold;
  cudaError_t error = rms_norm<before_gamma, root, widths>(x, gamma, y, rows, 768, 1e-6, stream);
  if (error != cudaSuccess) return error;
  error = add_layer_norm<stored, root, widths>(x, residual, gamma, beta, y, sum, rows, 768, 1e-5, stream);
  if (error != cudaSuccess) return error;
  error =
      add_rms_norm<stored, weight_rounding::none, root, widths>(x, residual, gamma, y, sum, rows, 768, 1e-6, stream);
  if (error != cudaSuccess) return error;
  error = add_rms_norm<stored, before_gamma, root, widths>(x, residual, gamma, y, sum, rows, 768, 1e-6, stream);
  if (error != cudaSuccess) return error;
  return dropout_add_layer_norm<stored, root, widths>(x, residual, gamma, beta, y, sum, rows, 768, 0.1,
                                                      random_state{1, 0}, 1e-5, stream);
}

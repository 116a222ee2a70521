// SPDX-License-Identifier: MIT
//
// See layer_norm_c.h. The one file of the benchmarks that instantiates LayerNorm: an example of keeping the compile
// cost of a header-only kernel behind a plain function.

#include "layer_norm_c.h"

#include <cstdio>

#include "rowfold/launch/plan_string.hpp"
#include "rowfold/layer_norm.cuh"

namespace {

/// Calls `use(arguments)` with the call's arguments in its type; cudaErrorInvalidValue for an unknown type.
template <class Use>
cudaError_t with_arguments(int dtype, const void* x, const void* gamma, const void* beta, void* y, int64_t rows,
                           int cols, double eps, const Use& use) {
  const auto typed = [&](auto zero) {
    using T = decltype(zero);
    rowfold::layer_norm_args<T> args;
    args.x = static_cast<const T*>(x);
    args.gamma = static_cast<const T*>(gamma);
    args.beta = static_cast<const T*>(beta);
    args.y = static_cast<T*>(y);
    args.rows = rows;
    args.cols = cols;
    args.eps = eps;
    return use(args);
  };
  switch (dtype) {
    case rowfold_bench_float:
      return typed(float{});
    case rowfold_bench_half:
      return typed(__half{});
    case rowfold_bench_bfloat16:
      return typed(__nv_bfloat16{});
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

int rowfold_bench_layer_norm(int dtype, const void* x, const void* gamma, const void* beta, void* y, int64_t rows,
                             int cols, double eps, int programmatic, void* stream) {
  return with_arguments(dtype, x, gamma, beta, y, rows, cols, eps, [&](auto args) {
    args.request.programmatic = programmatic != 0;
    return rowfold::layer_norm(args, static_cast<cudaStream_t>(stream));
  });
}

int rowfold_bench_layer_norm_plan(int dtype, const void* x, const void* gamma, const void* beta, void* y, int64_t rows,
                                  int cols, double eps, char* text, size_t size) {
  return with_arguments(dtype, x, gamma, beta, y, rows, cols, eps, [&](const auto& args) {
    rowfold::device_info device;
    const cudaError_t error = rowfold::current_device_info(device);
    if (error != cudaSuccess) return error;
    const rowfold::row_plan plan = rowfold::plan_layer_norm(args, device);
    std::snprintf(text, size, "%s", rowfold::to_label(plan).c_str());
    return plan.status == rowfold::plan_status::refused ? cudaErrorInvalidValue : cudaSuccess;
  });
}

const char* rowfold_bench_error_text(int status) { return cudaGetErrorString(static_cast<cudaError_t>(status)); }

// SPDX-License-Identifier: MIT
//
// See elementwise_c.h.

#include "elementwise_c.h"

#include <cstdio>

#include "rowfold/elementwise.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/launch/elementwise_plan_string.hpp"

namespace {

/// Calls `use(arguments)` with the call's arguments in its type; cudaErrorInvalidValue for an unknown type.
template <class Use>
cudaError_t with_arguments(int dtype, const void* a, const void* b, void* y, int64_t count, const Use& use) {
  const auto typed = [&](auto zero) {
    using T = decltype(zero);
    return use(rowfold::elementwise_args{rowfold::inputs(static_cast<const T*>(a), static_cast<const T*>(b)),
                                         rowfold::outputs(static_cast<T*>(y)), count});
  };
  switch (dtype) {
    case 0:
      return typed(float{});
    case 1:
      return typed(__half{});
    case 2:
      return typed(__nv_bfloat16{});
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

int rowfold_bench_vector_add(int dtype, const void* a, const void* b, void* y, int64_t count, int programmatic,
                             void* stream) {
  return with_arguments(dtype, a, b, y, count, [&](auto args) {
    args.request.programmatic = programmatic != 0;
    return rowfold::elementwise(rowfold::sum{}, args, static_cast<cudaStream_t>(stream));
  });
}

int rowfold_bench_vector_add_plan(int dtype, const void* a, const void* b, void* y, int64_t count, char* text,
                                  size_t size) {
  return with_arguments(dtype, a, b, y, count, [&](const auto& args) {
    rowfold::device_info device;
    const cudaError_t error = rowfold::current_device_info(device);
    if (error != cudaSuccess) return error;
    const rowfold::elementwise_plan plan = rowfold::plan_elementwise(args, device);
    std::snprintf(text, size, "%s", rowfold::to_label(plan).c_str());
    return plan.status == rowfold::plan_status::refused ? cudaErrorInvalidValue : cudaSuccess;
  });
}

const char* rowfold_bench_vector_add_error_text(int status) {
  return cudaGetErrorString(static_cast<cudaError_t>(status));
}

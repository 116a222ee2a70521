// SPDX-License-Identifier: MIT
// LayerNorm behind plain functions, one set of element types at a time, so that the kernels of a set are compiled once
// for all tests. Elements and pointers have no type here: a type_set says what they are.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "rowfold/launch/row_plan.hpp"
#include "support/element.hpp"

namespace rowfold_test {

// The arguments of layer_norm_args, untyped. mean and rstd have the accumulate type of x.
struct layer_norm_call {
  const void* x = nullptr;
  const void* gamma = nullptr;
  const void* beta = nullptr;
  void* y = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-5;
  rowfold::row_layout x_layout{};
  rowfold::row_layout y_layout{};
  void* mean = nullptr;
  void* rstd = nullptr;
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
  cudaStream_t stream = nullptr;
};

struct type_set {
  const char* name;
  element x;
  element parameter;  // of gamma and beta
  element y;
  cudaError_t (*run)(const layer_norm_call&);         // rowfold::layer_norm; does not wait for the device
  cudaError_t (*run_fast)(const layer_norm_call&);    // the same with fast_math; null where it is not compiled
  cudaError_t (*run_short)(const layer_norm_call&);   // the call without layer_norm_args, literal nullptr for null
  rowfold::row_plan (*plan)(const layer_norm_call&);  // plan_layer_norm for the current device
  cudaError_t (*run_plan)(const layer_norm_call&, const rowfold::row_plan&);  // launch_layer_norm

  element statistic() const { return x == element::float64 ? element::float64 : element::float32; }
  int granule() const { return 16 / static_cast<int>(bytes_of(x)); }
};

extern const type_set float_types;
extern const type_set half_types;
extern const type_set bfloat16_types;
extern const type_set bfloat16_to_float_types;  // float parameters
extern const type_set float_to_bfloat16_types;  // float parameters
extern const type_set double_types;
extern const type_set three_widths_types;  // bfloat16, only_columns<64, 768, 4096>; not among type_sets()

// The sets that this build holds: all of them, or under a sanitizer float and bfloat16 alone.
const std::vector<const type_set*>& type_sets();

}  // namespace rowfold_test

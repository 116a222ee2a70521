// SPDX-License-Identifier: MIT
// RMSNorm, L2 normalisation and the norms with a modulation behind plain functions, one set of element types at a time,
// so that the kernels of a set are compiled once for all tests. Elements and pointers have no type here: a norm_set
// says what they are.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "rowfold/launch/row_plan.hpp"
#include "support/element.hpp"

namespace rowfold_test {

enum class norm_op { rms_norm, l2_normalize, ada_layer_norm, ada_rms_norm };

// The arguments of any of the ops, untyped; each op reads those that it has.
struct norm_call {
  const void* x = nullptr;
  const void* first = nullptr;   // gamma or scale
  const void* second = nullptr;  // beta or shift
  void* y = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-6;
  double weight_offset = 0;
  std::int64_t rows_per_group = 1;
  long long first_stride = rowfold::row_layout::packed;
  long long second_stride = rowfold::row_layout::packed;
  rowfold::row_layout x_layout{};
  rowfold::row_layout y_layout{};
  void* mean = nullptr;       // ada_layer_norm
  void* statistic = nullptr;  // rstd or norm
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
  cudaStream_t stream = nullptr;
};

struct norm_set {
  norm_op op;
  const char* name;
  element x;
  element parameter;
  element y;
  bool rounds_first;                            // weight_rounding::before_gamma
  cudaError_t (*run)(const norm_call&);         // the op; does not wait for the device
  cudaError_t (*run_short)(const norm_call&);   // the call for packed rows; null where it is not compiled
  rowfold::row_plan (*plan)(const norm_call&);  // the plan for the current device
  cudaError_t (*run_plan)(const norm_call&, const rowfold::row_plan&);

  element statistic() const { return x == element::float64 ? element::float64 : element::float32; }
  int granule() const { return 16 / static_cast<int>(bytes_of(x)); }
  bool modulates() const { return op == norm_op::ada_layer_norm || op == norm_op::ada_rms_norm; }
  bool has_parameters() const { return op != norm_op::l2_normalize; }
  bool has_mean() const { return op == norm_op::ada_layer_norm; }
};

using norm_sets = std::vector<const norm_set*>;

// The sets of an op that this build holds: all of them, or under a sanitizer one or two.
const norm_sets& rms_norm_sets();
const norm_sets& l2_normalize_sets();
const norm_sets& ada_norm_sets();

}  // namespace rowfold_test

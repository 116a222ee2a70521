// SPDX-License-Identifier: MIT
// Softmax and log-softmax behind plain functions, one set of element types and options at a time, so that the kernels
// of a set are compiled once for all tests. Elements and pointers have no type here: a softmax_set says what they are.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "rowfold/launch/row_plan.hpp"
#include "rowfold/row/masked_row.hpp"
#include "support/element.hpp"

namespace rowfold_test {

// The arguments of softmax_args, untyped. What a set has no type for is not used.
struct softmax_call {
  const void* x = nullptr;
  const void* mask = nullptr;
  const void* lengths = nullptr;
  void* y = nullptr;
  void* log_sum_exp = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double scale = 1;
  long long queries = 1;
  long long offset = 0;
  rowfold::row_layout x_layout{};
  rowfold::row_layout y_layout{};
  rowfold::row_layout mask_layout{};
  rowfold::masked_row masked = rowfold::masked_row::nan;
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
  cudaStream_t stream = nullptr;
};

struct softmax_set {
  const char* name;
  bool logarithm;  // log-softmax
  element x;
  element y;
  bool scaled;
  bool masked;
  element mask;
  bool causal;
  int length_bytes;                               // of each row's length; 0: no lengths
  cudaError_t (*run)(const softmax_call&);        // does not wait for the device
  cudaError_t (*run_short)(const softmax_call&);  // the call without softmax_args; null for sets with options
  rowfold::row_plan (*plan)(const softmax_call&);
  cudaError_t (*run_plan)(const softmax_call&, const rowfold::row_plan&);

  element statistic() const { return x == element::float64 ? element::float64 : element::float32; }
  int granule() const {
    const std::size_t bytes = masked && bytes_of(mask) < bytes_of(x) ? bytes_of(mask) : bytes_of(x);
    return 16 / static_cast<int>(bytes);
  }
  bool plain() const { return !scaled && !masked && !causal && length_bytes == 0; }
};

// The sets that this build holds; under a sanitizer some of them.
const std::vector<const softmax_set*>& softmax_sets();
const std::vector<const softmax_set*>& log_softmax_sets();

// Both.
std::vector<const softmax_set*> all_softmax_sets();

// Sets by what they have; in every build.
extern const softmax_set float_softmax;
extern const softmax_set bfloat16_softmax;
extern const softmax_set float_options_softmax;    // scale, bfloat16 mask, causal, 64-bit lengths
extern const softmax_set bfloat16_causal_softmax;  // scale, causal

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Cross-entropy behind plain functions, one type of logits at a time, so that the kernels of a type are compiled once
// for all tests. Logits and labels have no type here: a logit_type says what they are.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "rowfold/launch/row_plan.hpp"
#include "support/element.hpp"

namespace cross_entropy_test {

using rowfold_test::element;

// The arguments of cross_entropy_args, untyped.
struct cross_entropy_call {
  const void* logits = nullptr;
  const void* labels = nullptr;
  bool wide_labels = true;  // int64
  float* loss = nullptr;
  float* lse = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;
  double z_loss = 0;
  double soft_cap = 0;
  rowfold::row_layout logits_layout{};
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
  cudaStream_t stream = nullptr;
};

struct logit_type {
  const char* name;
  element x;
  cudaError_t (*run)(const cross_entropy_call&);         // rowfold::cross_entropy; does not wait for the device
  cudaError_t (*run_short)(const cross_entropy_call&);   // the call without cross_entropy_args
  rowfold::row_plan (*plan)(const cross_entropy_call&);  // plan_cross_entropy for the current device
  cudaError_t (*run_plan)(const cross_entropy_call&, const rowfold::row_plan&);  // launch_cross_entropy

  int granule() const { return 16 / static_cast<int>(bytes_of(x)); }
};

extern const logit_type float_logits;
extern const logit_type half_logits;
extern const logit_type bfloat16_logits;

// The types that this build holds: all of them, or under a sanitizer float and bfloat16 alone.
const std::vector<const logit_type*>& logit_types();

}  // namespace cross_entropy_test

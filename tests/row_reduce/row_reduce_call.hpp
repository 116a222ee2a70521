// SPDX-License-Identifier: MIT
// Row reductions behind plain functions, one element type at a time, so that the kernels of a type are compiled once
// for all tests. What goes in has no type here; what comes out is double, which holds every result exactly.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rowfold/launch/row_plan.hpp"
#include "rowfold/row/statistic.hpp"
#include "support/element.hpp"

namespace rowfold_test {

inline constexpr std::size_t statistic_count = 13;
constexpr std::size_t place_of(rowfold::statistic_kind kind) { return static_cast<std::size_t>(kind); }

struct row_reduce_call {
  const void* x = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  rowfold::row_layout x_layout{};
  int correction = 1;
  std::size_t out_offset = 0;  // of every result, in elements from a 256-byte boundary
  int null_output = -1;        // the place of a statistic whose output is a null pointer
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
};

struct row_reduce_result {
  cudaError_t status = cudaSuccess;
  rowfold::row_plan plan;                                  // made for these very arguments
  std::array<std::vector<double>, statistic_count> value;  // [rows] of each statistic; empty if it was not asked for
  bool written = false;                                    // anything in some output
  std::int64_t stored_bytes = 0;                           // into the outputs, counted by the CPU executor

  const std::vector<double>& of(rowfold::statistic_kind kind) const { return value[place_of(kind)]; }
};

struct reduce_types {
  const char* name;
  element x;
  // All statistics in one call, which folds rows twice; all but the variance, which fold them once; the mean and the
  // variance alone; each statistic by the short call of its own. Each requires that nothing but the outputs has
  // changed. one_by_one is null where it is not compiled.
  row_reduce_result (*all)(const row_reduce_call&);
  row_reduce_result (*once)(const row_reduce_call&);
  row_reduce_result (*mean_variance)(const row_reduce_call&);
  row_reduce_result (*one_by_one)(const row_reduce_call&);

  int granule() const { return 16 / static_cast<int>(bytes_of(x)); }
  element accumulate() const { return x == element::float64 ? element::float64 : element::float32; }
};

extern const reduce_types float_reductions;
extern const reduce_types half_reductions;
extern const reduce_types bfloat16_reductions;
extern const reduce_types double_reductions;

// The types that this build holds: all of them, or under a sanitizer bfloat16 alone.
const std::vector<const reduce_types*>& reduce_type_sets();

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Row statistics by their definitions in double (long double for double), and the bounds that results are held to.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "row_reduce/row_reduce_run.hpp"

namespace rowfold_test {

// What a comparison with the reference found.
struct reduce_accuracy {
  std::int64_t rows = 0;
  // The largest error of each statistic in its own measure: in units of the accumulate type's unit roundoff, sum, mean
  // and l1_norm times the sum of |x|, l2_norm and variance relatively; log_sum_exp in ulp of max(|result|, |max|, 1).
  std::array<double, statistic_count> worst{};
  std::string fault;  // the first value out of bounds; empty if there is none

  void add(const reduce_accuracy& other);
};

// Compares all results that are there with the reference on the same inputs. The bounds are those that row_reduce.cuh
// states. Where a sum of finite elements is beyond the largest number, infinity is right; of the variance of rows whose
// sum of (x - mean)^2 is beyond float (double) nothing is asked.
reduce_accuracy compare(const rows_input& input, const row_reduce_result& result);

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
//
// What the benchmarks of dropout share: the mask's numbers, and rows with the mask made on the host. Host functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../tests/dropout/mask.hpp"
#include "support/row_cases.cuh"

namespace rowfold_bench {

inline constexpr double dropout_p = 0.1;
inline constexpr std::uint64_t dropout_seed = 2026;

/// Row `row` of dropout(x), where each call has `rows_of_call` rows and counts its elements from 0.
template <class T>
std::vector<double> dropped_row(const T* x, std::int64_t row, std::int64_t rows_of_call, int cols) {
  std::vector<double> values = download_row_as_double(x, row, cols);
  const auto first = static_cast<std::uint64_t>(row % rows_of_call) * static_cast<std::uint64_t>(cols);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = rowfold_test::dropped_float(values[i], dropout_p, dropout_seed, 0, first + i);
  }
  return values;
}

}  // namespace rowfold_bench

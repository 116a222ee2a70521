// SPDX-License-Identifier: MIT
//
// Compares device results with a float64 reference on sampled whole rows, before anything is timed. The sample is the
// first and the last row and seeded random rows between them; closeness.hpp says what passes. Host only.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "closeness.hpp"
#include "device.hpp"

namespace rowfold_bench {

/// One row of device memory as it is stored.
template <class T>
std::vector<T> download_row(const T* data, std::int64_t row, int cols) {
  std::vector<T> values(static_cast<std::size_t>(cols));
  require(cudaMemcpy(values.data(), data + row * cols, values.size() * sizeof(T), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  return values;
}

/// The same row, widened.
template <class T>
std::vector<double> download_row_as_double(const T* data, std::int64_t row, int cols) {
  const std::vector<T> stored = download_row(data, row, cols);
  std::vector<double> values(stored.size());
  std::transform(stored.begin(), stored.end(), values.begin(), [](T value) { return to_double(value); });
  return values;
}

/// Compares rows of y with `reference(row, expected, scale)`, which fills both vectors (cols values each).
/// Returns the empty string when every element of every sampled row passes, else a line about the first that does not.
template <class T, class Reference>
std::string check_rows(const T* y, std::int64_t rows, int cols, const Reference& reference, int count = 16,
                       std::uint64_t seed = 20261) {
  std::vector<double> expected(static_cast<std::size_t>(cols));
  std::vector<double> scale(static_cast<std::size_t>(cols));
  for (const std::int64_t row : sample_rows(rows, count, seed)) {
    reference(row, expected, scale);
    const std::vector<T> actual = download_row(y, row, cols);
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (close_enough(actual[i], expected[i], scale[i])) continue;
      char line[160];
      std::snprintf(line, sizeof line, "wrong result: row %lld, column %zu: %.9g instead of %.9g",
                    static_cast<long long>(row), i, to_double(actual[i]), expected[i]);
      return line;
    }
  }
  return {};
}

}  // namespace rowfold_bench

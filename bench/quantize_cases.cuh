// SPDX-License-Identifier: MIT
//
// What the quantising ops' benchmarks share: the check of e4m3 codes and their scales against float64. Host functions.
#pragma once

#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "support/row_cases.cuh"

namespace rowfold_bench {

/// All bytes of 0xff, a NaN, are gone.
inline std::string check_codes_written(const __nv_fp8_e4m3* q, std::size_t count) {
  std::vector<unsigned char> bytes(std::size_t{1} << 24);
  for (std::size_t first = 0; first < count; first += bytes.size()) {
    const std::size_t part = std::min(bytes.size(), count - first);
    require(cudaMemcpy(bytes.data(), q + first, part, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(part);
    if (std::find(bytes.begin(), end, static_cast<unsigned char>(0xff)) != end) return "wrong result: unwritten or NaN";
  }
  return {};
}

/// Codes of one row against the float64 values that were to be quantised, of which each `group` columns share a scale:
/// the scale is the largest value over 448, and scale * code is within half a step of e4m3 of the value. Both with room
/// for the error of the float values.
inline std::string check_codes(const std::vector<__nv_fp8_e4m3>& q, const std::vector<float>& scales,
                               const std::vector<double>& values, std::size_t group) {
  for (std::size_t first = 0; first < values.size(); first += group) {
    const std::size_t end = std::min(values.size(), first + group);
    double largest = 0;
    for (std::size_t i = first; i < end; ++i) largest = std::max(largest, std::fabs(values[i]));
    const double scale = static_cast<double>(scales[first / group]);
    const double room = 1.0e-5 * largest;
    char line[160];
    if (!(std::fabs(scale * 448 - largest) <= room)) {
      std::snprintf(line, sizeof line, "wrong scale: group %zu, %.9g instead of %.9g", first / group, scale,
                    largest / 448);
      return line;
    }
    for (std::size_t i = first; i < end; ++i) {
      const double found = scale * static_cast<double>(static_cast<float>(q[i]));
      // Three bits behind the leading one; below 2^-6 steps of 2^-9.
      const double half_step = std::max(std::fabs(values[i]) * 0x1p-4, scale * 0x1p-10);
      if (std::fabs(found - values[i]) <= half_step + room) continue;
      std::snprintf(line, sizeof line, "wrong result: column %zu, %.9g instead of %.9g", i, found, values[i]);
      return line;
    }
  }
  return {};
}

/// values / sqrt(mean of values^2 + eps) * gamma.
inline std::vector<double> rms_normalized(std::vector<double> values, const std::vector<double>& gamma, double eps) {
  double squares = 0;
  for (const double value : values) squares += value * value / static_cast<double>(values.size());
  const double inverse = 1.0 / std::sqrt(squares + eps);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= inverse * gamma[i];
  return values;
}

/// The whole check of `rows` rows: poisons, runs, looks for codes that were not written, and compares sampled rows with
/// expected(row), the float64 values of a row.
template <class Run, class Expected>
std::string check_quantized(__nv_fp8_e4m3* q, const float* scales, std::int64_t rows, int cols, int group,
                            const Run& run, const Expected& expected) {
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  poison(q, count);
  run(nullptr);
  require(cudaDeviceSynchronize(), "the op");
  const std::string fault = check_codes_written(q, count);
  if (!fault.empty()) return fault;
  const int groups = (cols + group - 1) / group;
  for (const std::int64_t row : sample_rows(rows, 16, 20261)) {
    const std::string wrong = check_codes(download_row(q, row, cols), download_row(scales, row, groups), expected(row),
                                          static_cast<std::size_t>(group));
    if (!wrong.empty()) return "row " + std::to_string(row) + ": " + wrong;
  }
  return {};
}

}  // namespace rowfold_bench

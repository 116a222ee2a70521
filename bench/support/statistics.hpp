// SPDX-License-Identifier: MIT
//
// Statistics of a handful of timings: the median, and a noise figure that one slow outlier does not move.
// Plain C++, host only. Both functions take a copy because they sort it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace rowfold_bench {

/// The middle value (the mean of the two middle ones when the count is even); NaN for no values.
inline double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

/// Median absolute deviation from the median, divided by the median: 0.01 means that half of the values lie within 1 %.
inline double relative_noise(std::vector<double> values) {
  const double center = median(values);
  for (double& value : values) value = std::fabs(value - center);
  return median(std::move(values)) / center;
}

}  // namespace rowfold_bench

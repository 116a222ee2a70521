// SPDX-License-Identifier: MIT
// 8. Several statistics of each row in one pass over memory, each to a type of its own: what one wants to know of the
//    activations of a layer before choosing a scale for them. The plan says that every row is read once.
#include <algorithm>
#include <cstdint>

#include "memory.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row_reduce.cuh"

int main() {
  constexpr int rows = 2, cols = 6;
  const std::vector<float> x_values = {1,  2,    3, 4, 5, 6,  //
                                       -8, 0.5f, 0, 2, 0, 8};
  std::vector<__half> x_narrow;
  for (const float value : x_values) x_narrow.push_back(__float2half_rn(value));  // all of them exactly
  const device_array<__half> x(x_narrow);
  const device_array<float> mean(rows), deviation_squared(rows), largest(rows);
  const device_array<std::int64_t> place(rows);
  const device_array<unsigned char> finite(rows);

  namespace statistic = rowfold::statistic;
  const auto args = rowfold::make_row_reduce_args(
      x.data(), rows, cols,
      rowfold::statistics(statistic::mean(mean.data()), statistic::variance(deviation_squared.data(), 1),
                          statistic::abs_max(largest.data()), statistic::arg_max(place.data()),
                          statistic::all_finite(finite.data())));
  rowfold::device_info device;
  check(rowfold::current_device_info(device));
  std::printf("%s\n", rowfold::to_string(rowfold::plan_row_reduce(args, device)).c_str());
  check(rowfold::row_reduce(args));

  std::vector<float> found, expected;
  for (std::size_t row = 0; row < rows; ++row) {
    found.insert(found.end(), {mean.values()[row], deviation_squared.values()[row], largest.values()[row],
                               static_cast<float>(place.values()[row]), static_cast<float>(finite.values()[row])});
    const float* values = x_values.data() + row * cols;
    float sum = 0, squares = 0, size = 0;
    std::size_t best = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      sum += values[c];
      size = std::max(size, std::abs(values[c]));
      if (values[c] > values[best]) best = c;
    }
    for (std::size_t c = 0; c < cols; ++c) squares += (values[c] - sum / cols) * (values[c] - sum / cols);
    expected.insert(expected.end(), {sum / cols, squares / (cols - 1), size, static_cast<float>(best), 1});
  }
  std::printf("     mean  variance   abs_max   arg_max    finite\n");
  return print_and_compare(found, expected, 5, 1e-4f) ? 0 : 1;
}

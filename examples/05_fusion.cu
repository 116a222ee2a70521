// SPDX-License-Identifier: MIT
// 5. Fusion without a kernel of your own: fold_rows puts an op together from a source, the folds over a row, the maps
//    applied to its values, and a sink. Here LayerNorm, its affine part, and an activation written below, in one pass
//    over memory and with one rounding, from bfloat16 rows to float. The plan of such an op prints like any other's.
#include "memory.hpp"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/layer_norm.cuh"
#include "rowfold/numeric/exp.cuh"

// y = x / (1 + exp(-x)). A map is called with N values of a row at a time, where they stand, and what the folds found.
struct silu_map : rowfold::plain_map<silu_map> {
  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE rowfold::vec<Accumulate, N> operator()(const rowfold::vec<Accumulate, N>& x, const Position&,
                                                        const Result&) const {
    rowfold::vec<Accumulate, N> y;
    for (int i = 0; i < N; ++i) y[i] = x[i] / (Accumulate(1) + rowfold::math::exp(-x[i]));
    return y;
  }
};

int main() {
  constexpr int rows = 2, cols = 6;
  constexpr float eps = 1e-5f;
  const std::vector<float> x_values = {1,  2,    3, 4, 5, 6,  //
                                       -8, 0.5f, 0, 2, 0, 8};
  const std::vector<float> gamma_values = {1, 1, 2, 2, 3, 3}, beta_values = {0, 1, 0, 1, 0, 1};
  std::vector<__nv_bfloat16> x_narrow;
  for (const float value : x_values) x_narrow.push_back(__float2bfloat16_rn(value));  // all of them exactly
  const device_array<__nv_bfloat16> x(x_narrow);
  const device_array<float> gamma(gamma_values), beta(beta_values), y(rows * cols);

  const rowfold::row_layout packed = rowfold::row_layout::strided(cols);
  const rowfold::plain_source<__nv_bfloat16> source{x.data(), packed};
  const auto folds =
      rowfold::normalize_stages<float>(cols, eps, source.granule, rowfold::default_lanes(cols, source.granule));
  const auto map = rowfold::chain(rowfold::normalize_map{},
                                  rowfold::affine_map<float, float>{gamma.data(), beta.data()}, silu_map{});
  const rowfold::plain_sink<float> sink{y.data(), packed};
  rowfold::device_info device;
  check(rowfold::current_device_info(device));
  const rowfold::row_plan plan = rowfold::plan_rows({rows, cols}, source, folds, map, sink, device);
  std::printf("%s\n", rowfold::to_string(plan).c_str());
  check(rowfold::fold_rows({rows, cols}, source, folds, map, sink));

  std::vector<float> expected;
  for (std::size_t row = 0; row < rows; ++row) {
    const float* values = x_values.data() + row * cols;
    double mean = 0, variance = 0;
    for (int c = 0; c < cols; ++c) mean += static_cast<double>(values[c]) / cols;
    for (int c = 0; c < cols; ++c) variance += (values[c] - mean) * (values[c] - mean) / cols;
    for (std::size_t c = 0; c < cols; ++c) {
      const double z =
          (values[c] - mean) / std::sqrt(variance + static_cast<double>(eps)) * static_cast<double>(gamma_values[c]) +
          static_cast<double>(beta_values[c]);
      expected.push_back(static_cast<float>(z / (1 + std::exp(-z))));
    }
  }
  return print_and_compare(y.values(), expected, cols, 1e-5f) ? 0 : 1;
}

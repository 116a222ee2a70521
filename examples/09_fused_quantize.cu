// SPDX-License-Identifier: MIT
// 9. What stands before a matrix product in fp8: the residual is added, the sum kept and normalised, and the result
//    quantised to fp8 with a scale for each row, all in one pass over memory. Then the same parts once more, put
//    together by hand for an op that the library has no name for: LayerNorm without parameters, to int8.
#include "memory.hpp"
#include "rowfold/add_rms_norm_quantize.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/layer_norm.cuh"

// Codes times their row's scale.
template <class Q>
std::vector<float> dequantize(const std::vector<Q>& codes, const std::vector<float>& scales) {
  std::vector<float> values;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    values.push_back(static_cast<float>(codes[i]) * scales[i / (codes.size() / scales.size())]);
  }
  return values;
}

int main() {
  constexpr int rows = 2, cols = 6;
  constexpr float eps = 1e-6f;
  const std::vector<float> x_values = {1,  2,    3, 4, 5, 6,  //
                                       -8, 0.5f, 0, 2, 0, 8};
  const std::vector<float> residual_values = {1, -2, 3, -4, 5, -6,  //
                                              0, 1,  0, 1,  0, 100};
  const std::vector<float> gamma_values = {1, 1, 2, 2, 3, 3};
  const device_array<float> x(x_values), residual(residual_values), gamma(gamma_values), scales(rows);
  const device_array<__nv_fp8_e4m3> q(rows * cols);

  rowfold::add_rms_norm_quantize_args<float, __nv_fp8_e4m3> args;
  args.x = x.data();
  args.residual = residual.data();
  args.gamma = gamma.data();
  args.q = q.data();
  args.scale = scales.data();
  args.sum = residual.data();  // the sum takes the residual's place
  args.rows = rows;
  args.cols = cols;
  args.eps = static_cast<double>(eps);
  rowfold::device_info device;
  check(rowfold::current_device_info(device));
  std::printf("%s\n", rowfold::to_string(rowfold::plan_add_rms_norm_quantize(args, device)).c_str());
  check(rowfold::add_rms_norm_quantize(args));

  std::vector<float> sums, normalized, centred;
  for (std::size_t row = 0; row < rows; ++row) {
    float squares = 0, mean = 0, variance = 0;
    for (std::size_t i = row * cols; i < (row + 1) * cols; ++i) {
      sums.push_back(x_values[i] + residual_values[i]);
      squares += sums[i] * sums[i] / cols;
      mean += x_values[i] / cols;
    }
    for (std::size_t i = row * cols; i < (row + 1) * cols; ++i)
      variance += (x_values[i] - mean) * (x_values[i] - mean) / cols;
    for (std::size_t i = row * cols; i < (row + 1) * cols; ++i) {
      normalized.push_back(sums[i] / std::sqrt(squares + eps) * gamma_values[i % cols]);
      centred.push_back((x_values[i] - mean) / std::sqrt(variance + eps));
    }
  }
  std::printf("sums:\n");
  bool right = print_and_compare(residual.values(), sums, cols, 0);
  std::printf("normalised, in fp8, times the scales %g and %g:\n", static_cast<double>(scales.values()[0]),
              static_cast<double>(scales.values()[1]));
  // Three bits of significand: a 16th of the largest value, 5, at most.
  right = print_and_compare(dequantize(q.values(), scales.values()), normalized, cols, 5.0f / 16) && right;

  // By hand: a source, the folds of LayerNorm, then the fold over what its map makes, the map, and the sink for codes.
  const device_array<signed char> integers(rows * cols);
  const rowfold::plain_source<float> source{x.data(), rowfold::row_layout::strided(cols)};
  const auto folds =
      rowfold::normalize_stages<float>(cols, eps, source.granule, rowfold::default_lanes(cols, source.granule));
  const rowfold::normalize_map map;
  rowfold::quantized_output<signed char, rowfold::quantize_scale::per_row> out;
  out.q = integers.data();
  out.scale = scales.data();
  const rowfold::quantize_sink<signed char, rowfold::quantize_scale::per_row> sink{out.resolved(cols)};
  check(rowfold::fold_rows({rows, cols}, source, rowfold::append(folds, rowfold::row_scale<signed char>(map, false)),
                           map, sink));
  std::printf("LayerNorm in int8, times the scales:\n");
  right = print_and_compare(dequantize(integers.values(), scales.values()), centred, cols, 0.01f) && right;
  return right ? 0 : 1;
}

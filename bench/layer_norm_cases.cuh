// SPDX-License-Identifier: MIT
//
// LayerNorm forward with gamma and beta, as an op of support/row_cases.cuh: its call through plain C functions, and the
// float64 result of a row. Host functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "layer_norm_c.h"
#include "support/row_cases.cuh"

namespace rowfold_bench {

constexpr double layer_norm_eps = 1.0e-5;

template <class T>
constexpr int dtype_code() {
  static_assert(sizeof(T) == sizeof(float), "float, half or bfloat16");
  return rowfold_bench_float;
}
template <>
constexpr int dtype_code<__half>() {
  return rowfold_bench_half;
}
template <>
constexpr int dtype_code<__nv_bfloat16>() {
  return rowfold_bench_bfloat16;
}

/// x, gamma, beta and y of type T.
template <class T>
class layer_norm_op {
 public:
  layer_norm_op(row_tensors& tensors, const row_call& call)
      : call_(call),
        x_(tensors.input<T>(0) + call.offset),
        gamma_(tensors.parameter<T>(0, 1.0f)),
        beta_(tensors.parameter<T>(1, 0.0f)),
        y_(tensors.output<T>(0) + call.offset) {}

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    const std::int64_t first = first_row * call_.cols;
    const int status = rowfold_bench_layer_norm(dtype_code<T>(), x_ + first, gamma_, beta_, y_ + first, call_.rows,
                                                call_.cols, layer_norm_eps, call_.programmatic ? 1 : 0, stream);
    require(static_cast<cudaError_t>(status), "layer_norm");
  }

  std::string plan() const {
    char text[512] = "";
    const int status = rowfold_bench_layer_norm_plan(dtype_code<T>(), x_, gamma_, beta_, y_, call_.rows, call_.cols,
                                                     layer_norm_eps, text, sizeof text);
    require(static_cast<cudaError_t>(status), "plan_layer_norm");
    return text;
  }

  double row_bytes() const { return 2.0 * sizeof(T) * call_.cols; }

  /// x and y once, gamma and beta once for all rows.
  double bytes() const { return static_cast<double>(call_.rows) * row_bytes() + 2.0 * sizeof(T) * call_.cols; }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = call_.cols;
    const std::vector<double> weight = download_row_as_double(gamma_, 0, cols);
    const std::vector<double> bias = download_row_as_double(beta_, 0, cols);
    return check_output(y_, rows, cols, run,
                        [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                          const std::vector<double> values = download_row_as_double(x_, row, cols);
                          double mean = 0;
                          for (const double value : values) mean += value / cols;
                          double variance = 0;
                          for (const double value : values) variance += (value - mean) * (value - mean) / cols;
                          const double inverse = 1.0 / std::sqrt(variance + layer_norm_eps);
                          for (std::size_t i = 0; i < values.size(); ++i) {
                            expected[i] = (values[i] - mean) * inverse * weight[i] + bias[i];
                            scale[i] = std::max({std::fabs(expected[i]), std::fabs(weight[i]), std::fabs(bias[i])});
                          }
                        });
  }

 private:
  row_call call_;
  const T* x_;
  const T* gamma_;
  const T* beta_;
  T* y_;
};

}  // namespace rowfold_bench

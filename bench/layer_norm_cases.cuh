// SPDX-License-Identifier: MIT
//
// Data and reference for LayerNorm forward benchmarks: one pair of large tensors that every shape reinterprets, gamma
// and beta, and the float64 result of a row. Host functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "layer_norm_c.h"
#include "support/check_rows.hpp"
#include "support/random_fill.cuh"

namespace rowfold_bench {

template <class T>
struct dtype_name;
template <>
struct dtype_name<float> {
  static constexpr const char* text = "float";
  static constexpr int code = rowfold_bench_float;
};
template <>
struct dtype_name<__half> {
  static constexpr const char* text = "half";
  static constexpr int code = rowfold_bench_half;
};
template <>
struct dtype_name<__nv_bfloat16> {
  static constexpr const char* text = "bfloat16";
  static constexpr int code = rowfold_bench_bfloat16;
};

constexpr int widest_row = 262144 + 8;
constexpr double layer_norm_eps = 1.0e-5;

/// x, y, gamma and beta in device memory, large enough for any type; holds values of one type at a time.
class layer_norm_data {
 public:
  /// `elements` of x and y, plus room for a row's worth of rounding and for shifted pointers.
  explicit layer_norm_data(std::size_t elements)
      : elements_(elements + widest_row),
        x_(elements_ * sizeof(float)),
        y_(elements_ * sizeof(float)),
        gamma_(widest_row * sizeof(float)),
        beta_(widest_row * sizeof(float)) {}

  /// Fills x, gamma and beta with values of type T unless they hold them already.
  template <class T>
  void prepare() {
    if (code_ == dtype_name<T>::code) return;
    fill_normal(x<T>(), elements_, 0.5f, 2.0f, 11);
    fill_normal(gamma<T>(), widest_row, 1.0f, 0.25f, 12);
    fill_normal(beta<T>(), widest_row, 0.0f, 0.25f, 13);
    code_ = dtype_name<T>::code;
  }

  template <class T>
  T* x() const {
    return x_.as<T>();
  }
  template <class T>
  T* y() const {
    return y_.as<T>();
  }
  template <class T>
  T* gamma() const {
    return gamma_.as<T>();
  }
  template <class T>
  T* beta() const {
    return beta_.as<T>();
  }

 private:
  std::size_t elements_;
  device_memory x_, y_, gamma_, beta_;
  int code_ = -1;
};

/// One call: pointers and shape.
template <class T>
struct layer_norm_call {
  const T* x;
  const T* gamma;
  const T* beta;
  T* y;
  std::int64_t rows;
  int cols;
  bool programmatic = false;

  void enqueue(cudaStream_t stream) const {
    const int status = rowfold_bench_layer_norm(dtype_name<T>::code, x, gamma, beta, y, rows, cols, layer_norm_eps,
                                                programmatic ? 1 : 0, stream);
    require(static_cast<cudaError_t>(status), "layer_norm");
  }

  std::string plan() const {
    char text[512] = "";
    const int status = rowfold_bench_layer_norm_plan(dtype_name<T>::code, x, gamma, beta, y, rows, cols, layer_norm_eps,
                                                     text, sizeof text);
    require(static_cast<cudaError_t>(status), "plan_layer_norm");
    return text;
  }

  /// Fewest bytes the call can move: x and y once, gamma and beta once for all rows.
  double bytes() const {
    return static_cast<double>(sizeof(T)) * (2.0 * static_cast<double>(rows) * cols + 2.0 * cols);
  }

  /// Checks `total_rows` rows from x and y on: poisons the output, calls `run(stream)`, which must fill it, and
  /// compares sampled rows with float64. Empty when every element was written and the rows are right.
  template <class Run>
  std::string check(std::int64_t total_rows, const Run& run) const {
    const std::size_t count = static_cast<std::size_t>(total_rows) * static_cast<std::size_t>(cols);
    require(cudaMemset(y, 0xff, count * sizeof(T)), "cudaMemset");  // all ones is NaN in all three types
    require(cudaDeviceSynchronize(), "poison");
    run(nullptr);
    require(cudaDeviceSynchronize(), "layer_norm");
    const unsigned long long unwritten = count_nan(y, count);
    if (unwritten != 0) return "wrong result: " + std::to_string(unwritten) + " elements unwritten or NaN";
    const std::vector<double> weight = download_row_as_double(gamma, 0, cols);
    const std::vector<double> bias = download_row_as_double(beta, 0, cols);
    return check_rows(y, total_rows, cols,
                      [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                        const std::vector<double> values = download_row_as_double(x, row, cols);
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
};

}  // namespace rowfold_bench

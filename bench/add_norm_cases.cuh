// SPDX-License-Identifier: MIT
//
// Residual addition + LayerNorm and + RMSNorm as ops of support/row_cases.cuh: x, residual, the parameters, y and the
// stored sum are all of one type, y and the sum in tensors of their own (in place the bytes are the same, but a
// replayed call would add to its own results). Host functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/add_layer_norm.cuh"
#include "rowfold/add_rms_norm.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {

/// x + residual as the ops compute it: in float, rounded once to T.
template <class T>
double stored_sum(double x, double residual) {
  return to_double(round_to<T>(static_cast<double>(static_cast<float>(x) + static_cast<float>(residual))));
}

/// What both ops share. Derived has args(first row): the arguments of a call, and normalize(sums, expected): the
/// float64 result of a row of sums; `parameters` says how many vectors it reads.
template <class T, class Derived>
class add_norm_op {
 public:
  add_norm_op(row_tensors& tensors, const row_call& call)
      : call_(call),
        x_(tensors.input<T>(0) + call.offset),
        residual_(tensors.input<T>(1) + call.offset),
        gamma_(tensors.parameter<T>(0, 1.0f)),
        beta_(tensors.parameter<T>(1, 0.0f)),
        y_(tensors.output<T>(0) + call.offset),
        sum_(tensors.output<T>(1) + call.offset) {}

  double row_bytes() const { return 4.0 * sizeof(T) * call_.cols; }

  /// x, residual, y and the sum once, the parameters once for all rows.
  double bytes() const {
    return static_cast<double>(call_.rows) * row_bytes() +
           static_cast<double>(Derived::parameters) * sizeof(T) * call_.cols;
  }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = call_.cols;
    const auto sums_of = [this, cols](std::int64_t row) {
      std::vector<double> sums = download_row_as_double(x_, row, cols);
      const std::vector<double> residual = download_row_as_double(residual_, row, cols);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = stored_sum<T>(sums[i], residual[i]);
      return sums;
    };
    const std::vector<double> gamma = download_row_as_double(gamma_, 0, cols);
    const std::vector<double> beta = download_row_as_double(beta_, 0, cols);
    poison(sum_, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    const std::string y_fault = check_output(
        y_, rows, cols, run, [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
          Derived::normalize(sums_of(row), gamma, beta, expected, scale);
        });
    if (!y_fault.empty()) return "y: " + y_fault;
    const std::string sum_fault = check_written(
        sum_, rows, cols, [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
          expected = sums_of(row);
          scale = std::vector<double>(expected.size(), 0.0);
        });
    return sum_fault.empty() ? sum_fault : "sum: " + sum_fault;
  }

 protected:
  // The arguments that both ops have, for the rows from first_row on.
  template <class Args>
  Args common_args(std::int64_t first_row) const {
    const std::int64_t first = first_row * call_.cols;
    Args args;
    args.x = x_ + first;
    args.residual = residual_ + first;
    args.gamma = gamma_;
    args.y = y_ + first;
    args.sum = sum_ + first;
    args.rows = call_.rows;
    args.cols = call_.cols;
    args.request.programmatic = call_.programmatic;
    return args;
  }

  row_call call_;
  const T* x_;
  const T* residual_;
  const T* gamma_;
  const T* beta_;
  T* y_;
  T* sum_;
};

template <class T>
class add_layer_norm_op : public add_norm_op<T, add_layer_norm_op<T>> {
 public:
  static constexpr int parameters = 2;
  static constexpr double eps = 1.0e-5;

  using add_norm_op<T, add_layer_norm_op>::add_norm_op;

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    require(rowfold::add_layer_norm(args(first_row), stream), "add_layer_norm");
  }

  std::string plan() const { return plan_label(rowfold::plan_add_layer_norm(args(0), this_device())); }

  static void normalize(const std::vector<double>& x, const std::vector<double>& gamma, const std::vector<double>& beta,
                        std::vector<double>& expected, std::vector<double>& scale) {
    const double n = static_cast<double>(x.size());
    double mean = 0;
    for (const double value : x) mean += value / n;
    double variance = 0;
    for (const double value : x) variance += (value - mean) * (value - mean) / n;
    const double inverse = 1.0 / std::sqrt(variance + eps);
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected[i] = (x[i] - mean) * inverse * gamma[i] + beta[i];
      scale[i] = std::max({std::fabs(expected[i]), std::fabs(gamma[i]), std::fabs(beta[i])});
    }
  }

 private:
  rowfold::add_layer_norm_args<T> args(std::int64_t first_row) const {
    auto args = this->template common_args<rowfold::add_layer_norm_args<T>>(first_row);
    args.beta = this->beta_;
    args.eps = eps;
    return args;
  }
};

template <class T>
class add_rms_norm_op : public add_norm_op<T, add_rms_norm_op<T>> {
 public:
  static constexpr int parameters = 1;
  static constexpr double eps = 1.0e-6;

  using add_norm_op<T, add_rms_norm_op>::add_norm_op;

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    require(rowfold::add_rms_norm(args(first_row), stream), "add_rms_norm");
  }

  std::string plan() const { return plan_label(rowfold::plan_add_rms_norm(args(0), this_device())); }

  static void normalize(const std::vector<double>& x, const std::vector<double>& gamma, const std::vector<double>&,
                        std::vector<double>& expected, std::vector<double>& scale) {
    double squares = 0;
    for (const double value : x) squares += value * value / static_cast<double>(x.size());
    const double inverse = 1.0 / std::sqrt(squares + eps);
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected[i] = x[i] * inverse * gamma[i];
      scale[i] = std::max(std::fabs(expected[i]), std::fabs(gamma[i]));
    }
  }

 private:
  rowfold::add_rms_norm_args<T> args(std::int64_t first_row) const {
    auto args = this->template common_args<rowfold::add_rms_norm_args<T>>(first_row);
    args.eps = eps;
    return args;
  }
};

}  // namespace rowfold_bench

// SPDX-License-Identifier: MIT
//
// Quantising to e4m3 as ops of support/row_cases.cuh: plain rows, residual addition + RMSNorm and SwiGLU, each with a scale
// for each row, and plain rows with a scale for each group of 128 columns. All inputs and the sum are of one type. Host
// functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "rowfold/add_rms_norm_quantize.cuh"
#include "rowfold/quantize.cuh"
#include "rowfold/swiglu_quantize.cuh"
#include "support/plan_label.cuh"
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

/// Codes of one row against the float64 values that were to be quantised, of which each `group` columns share a scale: the
/// scale is the largest value over 448, and scale * code is within half a step of e4m3 of the value. Both with room for the
/// error of the float values.
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

/// Codes take the place of output 0, scales that of output 1.
template <class T, rowfold::quantize_scale Mode>
class quantize_op {
 public:
  quantize_op(row_tensors& tensors, const row_call& call)
      : call_(call),
        x_(tensors.input<T>(0) + call.offset),
        q_(tensors.output<__nv_fp8_e4m3>(0) + call.offset),
        scales_(tensors.output<float>(1)) {}

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    require(rowfold::quantize(args(first_row), stream), "quantize");
  }
  std::string plan() const { return plan_label(rowfold::plan_quantize(args(0), this_device())); }

  double row_bytes() const { return (1.0 + sizeof(T)) * call_.cols + 4.0 * groups(); }
  double bytes() const { return static_cast<double>(call_.rows) * row_bytes(); }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    return check_quantized(q_, scales_, rows, call_.cols, group(), run,
                           [this](std::int64_t row) { return download_row_as_double(x_, row, call_.cols); });
  }

 private:
  int group() const { return Mode == rowfold::quantize_scale::per_group ? rowfold::quantize_group : call_.cols; }
  int groups() const { return (call_.cols + group() - 1) / group(); }

  rowfold::quantize_args<T, __nv_fp8_e4m3, Mode> args(std::int64_t first_row) const {
    rowfold::quantize_args<T, __nv_fp8_e4m3, Mode> args;
    args.x = x_ + first_row * call_.cols;
    args.q = q_ + first_row * call_.cols;
    args.scale = scales_ + first_row * groups();
    args.rows = call_.rows;
    args.cols = call_.cols;
    args.request.programmatic = call_.programmatic;
    return args;
  }

  row_call call_;
  const T* x_;
  __nv_fp8_e4m3* q_;
  float* scales_;
};

template <class T>
using quantize_dynamic_op = quantize_op<T, rowfold::quantize_scale::per_row>;
template <class T>
using quantize_group_op = quantize_op<T, rowfold::quantize_scale::per_group>;

/// The sum is stored in a tensor of its own: in place the bytes are the same, but a replayed call would add to its results.
template <class T>
class add_rms_norm_quantize_op {
 public:
  static constexpr double eps = 1.0e-6;

  add_rms_norm_quantize_op(row_tensors& tensors, const row_call& call)
      : call_(call),
        x_(tensors.input<T>(0) + call.offset),
        residual_(tensors.input<T>(1) + call.offset),
        gamma_(tensors.parameter<T>(0, 1.0f)),
        q_(tensors.output<__nv_fp8_e4m3>(0) + call.offset),
        scales_(tensors.output<float>(1)),
        sum_(tensors.output<T>(2) + call.offset) {}

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    require(rowfold::add_rms_norm_quantize(args(first_row), stream), "add_rms_norm_quantize");
  }
  std::string plan() const { return plan_label(rowfold::plan_add_rms_norm_quantize(args(0), this_device())); }

  double row_bytes() const { return (1.0 + 3.0 * sizeof(T)) * call_.cols + 4.0; }
  /// x, residual, sum, codes and scales once, gamma once for all rows.
  double bytes() const {
    return static_cast<double>(call_.rows) * row_bytes() + static_cast<double>(sizeof(T)) * call_.cols;
  }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = call_.cols;
    const std::vector<double> gamma = download_row_as_double(gamma_, 0, cols);
    const auto sums_of = [this, cols](std::int64_t row) {
      std::vector<double> sums = download_row_as_double(x_, row, cols);
      const std::vector<double> residual = download_row_as_double(residual_, row, cols);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const float sum = static_cast<float>(sums[i]) + static_cast<float>(residual[i]);
        sums[i] = to_double(round_to<T>(static_cast<double>(sum)));
      }
      return sums;
    };
    poison(sum_, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    const std::string fault = check_quantized(q_, scales_, rows, cols, cols, run, [&](std::int64_t row) {
      std::vector<double> values = sums_of(row);
      double squares = 0;
      for (const double value : values) squares += value * value / cols;
      const double inverse = 1.0 / std::sqrt(squares + eps);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] *= inverse * gamma[i];
      return values;
    });
    if (!fault.empty()) return fault;
    const auto sum_fault = check_written(
        sum_, rows, cols, [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
          expected = sums_of(row);
          scale = std::vector<double>(expected.size(), 0.0);
        });
    return sum_fault.empty() ? sum_fault : "sum: " + sum_fault;
  }

 private:
  rowfold::add_rms_norm_quantize_args<T, __nv_fp8_e4m3> args(std::int64_t first_row) const {
    const std::int64_t first = first_row * call_.cols;
    rowfold::add_rms_norm_quantize_args<T, __nv_fp8_e4m3> args;
    args.x = x_ + first;
    args.residual = residual_ + first;
    args.gamma = gamma_;
    args.q = q_ + first;
    args.scale = scales_ + first_row;
    args.sum = sum_ + first;
    args.rows = call_.rows;
    args.cols = call_.cols;
    args.eps = eps;
    args.request.programmatic = call_.programmatic;
    return args;
  }

  row_call call_;
  const T* x_;
  const T* residual_;
  const T* gamma_;
  __nv_fp8_e4m3* q_;
  float* scales_;
  T* sum_;
};

/// Gate and value in two tensors, so that the offset cases move both.
template <class T>
class swiglu_quantize_op {
 public:
  swiglu_quantize_op(row_tensors& tensors, const row_call& call)
      : call_(call),
        gate_(tensors.input<T>(0) + call.offset),
        value_(tensors.input<T>(1) + call.offset),
        q_(tensors.output<__nv_fp8_e4m3>(0) + call.offset),
        scales_(tensors.output<float>(1)) {}

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    require(rowfold::swiglu_quantize(args(first_row), stream), "swiglu_quantize");
  }
  std::string plan() const { return plan_label(rowfold::plan_gated_quantize(args(0), this_device())); }

  double row_bytes() const { return (1.0 + 2.0 * sizeof(T)) * call_.cols + 4.0; }
  double bytes() const { return static_cast<double>(call_.rows) * row_bytes(); }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = call_.cols;
    return check_quantized(q_, scales_, rows, cols, cols, run, [&](std::int64_t row) {
      std::vector<double> values = download_row_as_double(gate_, row, cols);
      const std::vector<double> factors = download_row_as_double(value_, row, cols);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factors[i] / (1.0 + std::exp(-values[i]));
      return values;
    });
  }

 private:
  rowfold::gated_quantize_args<T, __nv_fp8_e4m3> args(std::int64_t first_row) const {
    const std::int64_t first = first_row * call_.cols;
    rowfold::gated_quantize_args<T, __nv_fp8_e4m3> args;
    args.gate = gate_ + first;
    args.value = value_ + first;
    args.q = q_ + first;
    args.scale = scales_ + first_row;
    args.rows = call_.rows;
    args.cols = call_.cols;
    args.request.programmatic = call_.programmatic;
    return args;
  }

  row_call call_;
  const T* gate_;
  const T* value_;
  __nv_fp8_e4m3* q_;
  float* scales_;
};

}  // namespace rowfold_bench

// SPDX-License-Identifier: MIT
//
// Residual addition + RMSNorm with e4m3 results, a scale for each row, the sum stored, inputs and sum of one type, on
// one GPU, cold: the cases of support/row_cases.cuh, named add_rms_norm_quantize_e4m3/.... Every case is checked
// against float64 before it is timed. Flags: support/session.hpp, and Google Benchmark's.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quantize_cases.cuh"
#include "rowfold/add_rms_norm_quantize.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

/// The sum is stored in a tensor of its own: in place the bytes are the same, but a replayed call would add to its
/// results.
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
    const std::string fault = check_quantized(
        q_, scales_, rows, cols, cols, run, [&](std::int64_t row) { return rms_normalized(sums_of(row), gamma, eps); });
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

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<add_rms_norm_quantize_op>(run, tensors, "add_rms_norm_quantize_e4m3");
  });
}

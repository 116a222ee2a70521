// SPDX-License-Identifier: MIT
//
// Dropout + residual addition + LayerNorm with gamma and beta, all of one type, on one GPU, cold: the cases of
// support/row_cases.cuh, named dropout_add_layer_norm/.... Every case is checked against float64 before it is timed,
// with the mask made on the host. Flags: support/session.hpp, and Google Benchmark's.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dropout_cases.cuh"
#include "rowfold/dropout_add_layer_norm.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

/// All tensors of type T. The sum is stored in a tensor of its own: in place the bytes are the same, but a replayed
/// call would add to its results.
template <class T>
class dropout_add_layer_norm_op {
 public:
  dropout_add_layer_norm_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0) + call.offset;
    args_.residual = tensors.input<T>(1) + call.offset;
    args_.gamma = tensors.parameter<T>(0, 1.0f);
    args_.beta = tensors.parameter<T>(1, 0.0f);
    args_.y = tensors.output<T>(0) + call.offset;
    args_.sum = tensors.output<T>(1) + call.offset;
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.p = dropout_p;
    args_.random.seed = dropout_seed;
    args_.request.programmatic = call.programmatic;
  }

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    auto args = args_;
    const std::int64_t first = first_row * args.cols;
    args.x += first;
    args.residual += first;
    args.y += first;
    args.sum += first;
    require(rowfold::dropout_add_layer_norm(args, stream), "dropout_add_layer_norm");
  }

  std::string plan() const { return plan_label(rowfold::plan_dropout_add_layer_norm(args_, this_device())); }
  double row_bytes() const { return 4.0 * sizeof(T) * args_.cols; }

  /// x, residual, y and sum once, gamma and beta once for all rows.
  double bytes() const { return static_cast<double>(args_.rows) * row_bytes() + 2.0 * sizeof(T) * args_.cols; }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = args_.cols;
    const std::vector<double> gamma = download_row_as_double(args_.gamma, 0, cols);
    const std::vector<double> beta = download_row_as_double(args_.beta, 0, cols);
    return check_output(args_.y, rows, cols, run,
                        [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                          std::vector<double> sums = sums_of(row);
                          double mean = 0;
                          for (const double sum : sums) mean += sum / cols;
                          double variance = 0;
                          for (const double sum : sums) variance += (sum - mean) * (sum - mean) / cols;
                          const double inverse = 1.0 / std::sqrt(variance + args_.eps);
                          for (std::size_t i = 0; i < sums.size(); ++i) {
                            expected[i] = (sums[i] - mean) * inverse * gamma[i] + beta[i];
                            scale[i] = std::max({std::fabs(expected[i]), std::fabs(gamma[i]), std::fabs(beta[i])});
                          }
                        });
  }

 private:
  // Each step in float, the last one rounded to T: what the norm sees.
  std::vector<double> sums_of(std::int64_t row) const {
    std::vector<double> sums = dropped_row(args_.x, row, args_.rows, args_.cols);
    const std::vector<double> residual = download_row_as_double(args_.residual, row, args_.cols);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const float sum = static_cast<float>(sums[i]) + static_cast<float>(residual[i]);
      sums[i] = to_double(round_to<T>(static_cast<double>(sum)));
    }
    return sums;
  }

  rowfold::dropout_add_layer_norm_args<T> args_;
};

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<dropout_add_layer_norm_op>(run, tensors, "dropout_add_layer_norm");
  });
}

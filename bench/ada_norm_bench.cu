// SPDX-License-Identifier: MIT
//
// LayerNorm and RMSNorm with a modulation per group of 256 rows (scale and shift cut from one tensor of [groups, 2 *
// cols]), all of one type, on one GPU, cold: the cases of support/row_cases.cuh. Every case is checked against float64
// before it is timed. Flags: support/session.hpp, and Google Benchmark's.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/ada_norm.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

constexpr double eps = 1.0e-6;
constexpr int rows_per_group = 256;  // an image of 16 x 16 patches

/// x, scale, shift and y of type T.
template <class T, bool IsLayerNorm>
class ada_norm_op {
 public:
  ada_norm_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0) + call.offset;
    // 2 * cols elements per group: never more than twice a large tensor, which has room for the widest row beside its
    // own.
    args_.shift = tensors.input<T>(1, 2) + call.offset;
    args_.scale = args_.shift + call.cols;
    args_.y = tensors.output<T>(0) + call.offset;
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.rows_per_group = rows_per_group;
    args_.eps = eps;
    args_.scale_stride = args_.shift_stride = 2LL * call.cols;
    args_.request.programmatic = call.programmatic;
  }

  /// Each call's rows start with group 0.
  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    auto args = args_;
    args.x += first_row * args.cols;
    args.y += first_row * args.cols;
    if constexpr (IsLayerNorm) {
      require(rowfold::ada_layer_norm(args, stream), "ada_layer_norm");
    } else {
      require(rowfold::ada_rms_norm(args, stream), "ada_rms_norm");
    }
  }

  std::string plan() const {
    if constexpr (IsLayerNorm) {
      return plan_label(rowfold::plan_ada_layer_norm(args_, this_device()));
    } else {
      return plan_label(rowfold::plan_ada_rms_norm(args_, this_device()));
    }
  }

  double row_bytes() const { return 2.0 * sizeof(T) * args_.cols; }

  /// x and y once, each group's scale and shift once.
  double bytes() const {
    const double groups = static_cast<double>((args_.rows - 1) / rows_per_group + 1);
    return static_cast<double>(args_.rows) * row_bytes() + 2.0 * groups * sizeof(T) * args_.cols;
  }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = args_.cols;
    return check_output(
        args_.y, rows, cols, run, [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
          const std::vector<double> values = download_row_as_double(args_.x, row, cols);
          const std::int64_t group = row % args_.rows / rows_per_group;
          const std::vector<double> factor = download_row_as_double(args_.scale + group * cols, group, cols);
          const std::vector<double> summand = download_row_as_double(args_.shift + group * cols, group, cols);
          double mean = 0;
          for (const double value : values) mean += IsLayerNorm ? value / cols : 0;
          double squares = 0;
          for (const double value : values) squares += (value - mean) * (value - mean) / cols;
          for (std::size_t i = 0; i < values.size(); ++i) {
            expected[i] = (values[i] - mean) / std::sqrt(squares + eps) * (1 + factor[i]) + summand[i];
            scale[i] = std::max({std::fabs(expected[i]), std::fabs(1 + factor[i]), std::fabs(summand[i])});
          }
        });
  }

 private:
  rowfold::ada_norm_args<T> args_;
};

template <class T>
using ada_layer_norm_op = ada_norm_op<T, true>;
template <class T>
using ada_rms_norm_op = ada_norm_op<T, false>;

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<ada_layer_norm_op>(run, tensors, "ada_layer_norm");
    register_row_op<ada_rms_norm_op>(run, tensors, "ada_rms_norm");
  });
}

// SPDX-License-Identifier: MIT
//
// RMSNorm forward with gamma, all of one type, on one GPU, cold: the cases of support/row_cases.cuh, and
//   rms_norm_heads/<dtype>/<rows>/<cols>   queries of [tokens, 3 * 32 heads * cols], in place: rows are heads
// Every case is checked against float64 before it is timed. Flags: support/session.hpp, and Google Benchmark's.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/rms_norm.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

constexpr double eps = 1.0e-6;

/// x, gamma and y of type T.
template <class T>
class rms_norm_op {
 public:
  rms_norm_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0) + call.offset;
    args_.gamma = tensors.parameter<T>(0, 1.0f);
    args_.y = tensors.output<T>(0) + call.offset;
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.eps = eps;
    args_.request.programmatic = call.programmatic;
  }

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    auto args = args_;
    args.x += first_row * args.cols;
    args.y += first_row * args.cols;
    require(rowfold::rms_norm(args, stream), "rms_norm");
  }

  std::string plan() const { return plan_label(rowfold::plan_rms_norm(args_, this_device())); }

  double row_bytes() const { return 2.0 * sizeof(T) * args_.cols; }

  /// x and y once, gamma once for all rows.
  double bytes() const { return static_cast<double>(args_.rows) * row_bytes() + 1.0 * sizeof(T) * args_.cols; }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = args_.cols;
    const std::vector<double> weight = download_row_as_double(args_.gamma, 0, cols);
    return check_output(args_.y, rows, cols, run,
                        [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                          const std::vector<double> values = download_row_as_double(args_.x, row, cols);
                          double squares = 0;
                          for (const double value : values) squares += value * value / cols;
                          const double rstd = 1.0 / std::sqrt(squares + eps);
                          for (std::size_t i = 0; i < values.size(); ++i) {
                            expected[i] = values[i] * rstd * weight[i];
                            scale[i] = std::max(std::fabs(expected[i]), std::fabs(weight[i]));
                          }
                        });
  }

 private:
  rowfold::rms_norm_args<T> args_;
};

/// Queries of a packed projection, in place. It is checked out of place, on the same layout.
template <class T>
class heads_op {
 public:
  static constexpr int heads = 32;

  heads_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0);
    args_.gamma = tensors.parameter<T>(0, 1.0f);
    args_.y = tensors.output<T>(0);
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.eps = eps;
    args_.x_layout = args_.y_layout = rowfold::row_layout::nested(heads, call.cols, 3LL * heads * call.cols);
  }

  void enqueue(std::int64_t, cudaStream_t stream) const {
    auto args = args_;
    args.x = args.y;
    require(rowfold::rms_norm(args, stream), "rms_norm");
  }

  std::string plan() const { return plan_label(rowfold::plan_rms_norm(args_, this_device())); }
  double row_bytes() const { return 2.0 * sizeof(T) * args_.cols; }
  double bytes() const { return static_cast<double>(args_.rows) * row_bytes() + 1.0 * sizeof(T) * args_.cols; }

  template <class Run>
  std::string check(std::int64_t, const Run&) const {
    poison(args_.y, static_cast<std::size_t>(args_.rows / heads) * 3 * heads * static_cast<std::size_t>(args_.cols));
    require(rowfold::rms_norm(args_, nullptr), "rms_norm");
    require(cudaDeviceSynchronize(), "rms_norm");
    const std::vector<double> weight = download_row_as_double(args_.gamma, 0, args_.cols);
    for (const std::int64_t row : sample_rows(args_.rows, 16, 20262)) {
      const std::int64_t place = args_.x_layout.offset(row) / args_.cols;  // heads are whole rows of the tensor
      const std::vector<double> x = download_row_as_double(args_.x, place, args_.cols);
      const std::vector<T> y = download_row(args_.y, place, args_.cols);
      double squares = 0;
      for (const double value : x) squares += value * value / args_.cols;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double expected = x[i] / std::sqrt(squares + eps) * weight[i];
        if (!close_enough(y[i], expected, std::fabs(weight[i]))) return "wrong result in head " + std::to_string(row);
      }
    }
    return {};
  }

 private:
  rowfold::rms_norm_args<T> args_;
};

template <class T>
void register_heads(session& run, row_tensors& tensors) {
  constexpr int heads = heads_op<T>::heads;
  for (const int cols : {64, 128}) {
    const auto tokens = static_cast<std::int64_t>(run.elements()) / (3 * heads * cols);
    register_call<heads_op<T>>(run, tensors, "rms_norm_heads", dtype_name<T>::text, row_call{tokens * heads, cols});
  }
}

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<rms_norm_op>(run, tensors, "rms_norm");
    register_heads<__nv_bfloat16>(run, tensors);
    register_heads<float>(run, tensors);
  });
}

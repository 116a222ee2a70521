// SPDX-License-Identifier: MIT
//
// L2 normalisation forward, x and y of one type, on one GPU, cold: the cases of support/row_cases.cuh. Every case is
// checked against float64 before it is timed. Flags: support/session.hpp, and Google Benchmark's.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/l2_normalize.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

/// x and y of type T.
template <class T>
class l2_normalize_op {
 public:
  l2_normalize_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0) + call.offset;
    args_.y = tensors.output<T>(0) + call.offset;
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.request.programmatic = call.programmatic;
  }

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    auto args = args_;
    args.x += first_row * args.cols;
    args.y += first_row * args.cols;
    require(rowfold::l2_normalize(args, stream), "l2_normalize");
  }

  std::string plan() const { return plan_label(rowfold::plan_l2_normalize(args_, this_device())); }
  double row_bytes() const { return 2.0 * sizeof(T) * args_.cols; }
  double bytes() const { return static_cast<double>(args_.rows) * row_bytes(); }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = args_.cols;
    return check_output(args_.y, rows, cols, run,
                        [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                          const std::vector<double> values = download_row_as_double(args_.x, row, cols);
                          double squares = 0;
                          for (const double value : values) squares += value * value;
                          for (std::size_t i = 0; i < values.size(); ++i) {
                            expected[i] = values[i] / std::sqrt(squares);
                            scale[i] = std::fabs(expected[i]);
                          }
                        });
  }

 private:
  rowfold::l2_normalize_args<T> args_;
};

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<l2_normalize_op>(run, tensors, "l2_normalize");
  });
}

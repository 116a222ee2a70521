// SPDX-License-Identifier: MIT
//
// Dropout, x and y of one type, on one GPU, cold: the cases of support/row_cases.cuh, named dropout/.... Every case is
// checked against float64 before it is timed, with the mask made on the host. Flags: support/session.hpp, and Google
// Benchmark's.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dropout_cases.cuh"
#include "rowfold/dropout.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

/// x and y of type T.
template <class T>
class dropout_op {
 public:
  dropout_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0) + call.offset;
    args_.y = tensors.output<T>(0) + call.offset;
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.p = dropout_p;
    args_.random.seed = dropout_seed;
    args_.request.programmatic = call.programmatic;
  }

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    auto args = args_;
    args.x += first_row * args.cols;
    args.y += first_row * args.cols;
    require(rowfold::dropout(args, stream), "dropout");
  }

  std::string plan() const { return plan_label(rowfold::plan_dropout(args_, this_device())); }
  double row_bytes() const { return 2.0 * sizeof(T) * args_.cols; }
  double bytes() const { return static_cast<double>(args_.rows) * row_bytes(); }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    return check_output(args_.y, rows, args_.cols, run,
                        [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                          expected = dropped_row(args_.x, row, args_.rows, args_.cols);
                          for (std::size_t i = 0; i < expected.size(); ++i) scale[i] = std::fabs(expected[i]);
                        });
  }

 private:
  rowfold::dropout_args<T> args_;
};

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(
      argc, argv, [](session& run, row_tensors& tensors) { register_row_op<dropout_op>(run, tensors, "dropout"); });
}

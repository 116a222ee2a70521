// SPDX-License-Identifier: MIT
//
// Softmax forward, x and y of one type, on one GPU, cold: the cases of support/row_cases.cuh, and
//   softmax_causal/<dtype>/<rows>/<cols>   scale and causal mask over blocks of [cols, cols], as attention uses it
// Every case is checked against float64 before it is timed. Flags: support/session.hpp, and Google Benchmark's.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "rowfold/softmax.cuh"
#include "softmax_cases.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

template <class T>
using plain_op = softmax_op<T, false>;

/// Attention scores of type T: square blocks under a causal mask.
template <class T>
class causal_op {
 public:
  causal_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0);
    args_.y = tensors.output<T>(0);
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.scale = 0.125;
    args_.columns = rowfold::causal_columns::top_left(call.cols);
  }

  void enqueue(std::int64_t, cudaStream_t stream) const { require(rowfold::softmax(args_, stream), "softmax"); }
  std::string plan() const { return plan_label(rowfold::plan_softmax(args_, this_device())); }
  double row_bytes() const { return 2.0 * sizeof(T) * args_.cols; }
  double bytes() const { return static_cast<double>(args_.rows) * row_bytes(); }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    return check_output(args_.y, rows, args_.cols, run,
                        [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                          std::vector<double> z = download_row_as_double(args_.x, row, args_.cols);
                          for (std::size_t i = 0; i < z.size(); ++i) {
                            const bool seen = static_cast<std::int64_t>(i) <= row % args_.cols;
                            z[i] = seen ? z[i] * 0.125 : -std::numeric_limits<double>::infinity();
                          }
                          reference_softmax(z, false, expected, scale);
                        });
  }

 private:
  rowfold::softmax_args<T, T, double, rowfold::absent, rowfold::causal_columns> args_;
};

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<plain_op>(run, tensors, "softmax");
    for (const int cols : {512, 1024, 2048, 4096}) {
      register_large<causal_op<__nv_bfloat16>>(run, tensors, "softmax_causal", "bfloat16", cols);
      register_large<causal_op<float>>(run, tensors, "softmax_causal", "float", cols);
    }
  });
}

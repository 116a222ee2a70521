// SPDX-License-Identifier: MIT
//
// RMSNorm with e4m3 results, a scale for each row, on one GPU, cold: the cases of support/row_cases.cuh, named
// rms_norm_quantize_e4m3/.... Every case is checked against float64 before it is timed. Flags: support/session.hpp, and
// Google Benchmark's.

#include <cstdint>
#include <string>
#include <vector>

#include "quantize_cases.cuh"
#include "rowfold/rms_norm_quantize.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

/// x and gamma of type T; codes alone are stored.
template <class T>
class rms_norm_quantize_op {
 public:
  rms_norm_quantize_op(row_tensors& tensors, const row_call& call) {
    args_.x = tensors.input<T>(0) + call.offset;
    args_.gamma = tensors.parameter<T>(0, 1.0f);
    args_.q = tensors.output<__nv_fp8_e4m3>(0) + call.offset;
    args_.scale = tensors.output<float>(1);
    args_.rows = call.rows;
    args_.cols = call.cols;
    args_.request.programmatic = call.programmatic;
  }

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    auto args = args_;
    args.x += first_row * args.cols;
    args.q += first_row * args.cols;
    args.scale += first_row;
    require(rowfold::rms_norm_quantize(args, stream), "rms_norm_quantize");
  }
  std::string plan() const { return plan_label(rowfold::plan_rms_norm_quantize(args_, this_device())); }

  double row_bytes() const { return (1.0 + sizeof(T)) * args_.cols + 4.0; }
  /// x, codes and scales once, gamma once for all rows.
  double bytes() const {
    return static_cast<double>(args_.rows) * row_bytes() + static_cast<double>(sizeof(T)) * args_.cols;
  }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = args_.cols;
    const std::vector<double> gamma = download_row_as_double(args_.gamma, 0, cols);
    return check_quantized(args_.q, args_.scale, rows, cols, cols, run, [&](std::int64_t row) {
      return rms_normalized(download_row_as_double(args_.x, row, cols), gamma, args_.eps);
    });
  }

 private:
  rowfold::rms_norm_quantize_args<T, __nv_fp8_e4m3> args_;
};

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<rms_norm_quantize_op>(run, tensors, "rms_norm_quantize_e4m3");
  });
}

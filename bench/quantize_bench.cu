// SPDX-License-Identifier: MIT
//
// Quantising to e4m3 on one GPU, cold: the cases of support/row_cases.cuh, named quantize_dynamic_e4m3/... (a scale for
// each row) and quantize_group_e4m3/... (for each 128 columns), and copy/..., the yardstick again at the end. Every
// case is checked against float64 before it is timed. Flags: support/session.hpp, and Google Benchmark's.

#include <cstdint>
#include <string>

#include "quantize_cases.cuh"
#include "rowfold/quantize.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

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

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<quantize_dynamic_op>(run, tensors, "quantize_dynamic_e4m3");
    register_row_op<quantize_group_op>(run, tensors, "quantize_group_e4m3");
  });
}

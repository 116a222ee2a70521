// SPDX-License-Identifier: MIT
//
// SwiGLU with e4m3 results, a scale for each row, both inputs of one type, on one GPU, cold: the cases of
// support/row_cases.cuh, named swiglu_quantize_e4m3/.... Every case is checked against float64 before it is timed.
// Flags: support/session.hpp, and Google Benchmark's.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quantize_cases.cuh"
#include "rowfold/swiglu_quantize.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {
namespace {

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

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<swiglu_quantize_op>(run, tensors, "swiglu_quantize_e4m3");
  });
}

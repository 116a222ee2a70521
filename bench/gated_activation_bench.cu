// SPDX-License-Identifier: MIT
//
// Gated activations of rows that hold gate and value, all of one type, on one GPU, cold:
//   swiglu/...              the cases of support/row_cases.cuh, and the widths of some models' hidden layers
//   swiglu_interleaved/...  gate and value in turn; with geglu, geglu_tanh and reglu at some widths
//   copy/...                the yardstick again at the end: shows drift during the run
// <cols> are those of y. Every case is checked against float64 before it is timed. Usage: see support/session.hpp for
// the program's own flags; --benchmark_filter, --benchmark_out=<file> and the others are Google Benchmark's.

#include "gated_activation_cases.cuh"

namespace {

constexpr int hidden_widths[] = {2816, 11008, 14336, 28672};
constexpr int some_widths[] = {512, 4096, 14336};

template <template <class> class Op>
void register_some(rowfold_bench::session& run, rowfold_bench::row_tensors& tensors, const char* op,
                   const rowfold_bench::row_widths& widths) {
  for (const int cols : widths) {
    rowfold_bench::register_large<Op<__nv_bfloat16>>(run, tensors, op, "bfloat16", cols);
    rowfold_bench::register_large<Op<float>>(run, tensors, op, "float", cols);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<swiglu_op>(run, tensors, "swiglu");
    register_some<swiglu_op>(run, tensors, "swiglu", widths(hidden_widths));
    register_some<interleaved_swiglu_op>(run, tensors, "swiglu_interleaved", widths(some_widths));
    register_some<geglu_op>(run, tensors, "geglu", widths(some_widths));
    register_some<geglu_tanh_op>(run, tensors, "geglu_tanh", widths(some_widths));
    register_some<reglu_op>(run, tensors, "reglu", widths(some_widths));
  });
}

// SPDX-License-Identifier: MIT
//
// Quantising to e4m3 on one GPU, cold: the cases of support/row_cases.cuh, named quantize_dynamic_e4m3/... (a scale for each
// row), quantize_group_e4m3/... (for each 128 columns), and, with a scale for each row, add_rms_norm_quantize_e4m3/... (behind
// residual addition + RMSNorm) and swiglu_quantize_e4m3/...; and copy/..., the yardstick again at the end. Every case is
// checked against float64 before it is timed. Usage: see support/session.hpp for the program's own flags; --benchmark_filter,
// --benchmark_out=<file> and the others are Google Benchmark's.

#include "quantize_cases.cuh"

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<quantize_dynamic_op>(run, tensors, "quantize_dynamic_e4m3");
    register_row_op<quantize_group_op>(run, tensors, "quantize_group_e4m3");
    register_row_op<add_rms_norm_quantize_op>(run, tensors, "add_rms_norm_quantize_e4m3");
    register_row_op<swiglu_quantize_op>(run, tensors, "swiglu_quantize_e4m3");
  });
}

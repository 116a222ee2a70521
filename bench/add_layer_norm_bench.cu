// SPDX-License-Identifier: MIT
//
// Residual addition + LayerNorm, the sum stored, all tensors of one type, on one GPU, cold: the cases of
// support/row_cases.cuh, named add_layer_norm/..., and copy/..., the yardstick again at the end. Every case is checked
// against float64 before it is timed. Usage: see support/session.hpp for the program's own flags; --benchmark_filter,
// --benchmark_out=<file> and the others are Google Benchmark's.

#include "add_norm_cases.cuh"

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<add_layer_norm_op>(run, tensors, "add_layer_norm");
  });
}

// SPDX-License-Identifier: MIT
//
// LayerNorm forward with gamma and beta, all of one type, on one GPU, cold: the cases of support/row_cases.cuh, and
//   host/...   microseconds of host time per call (host_cost.cu)
//   copy/...   the yardstick again at the end: shows drift during the run
// Every case is checked against float64 before it is timed. Usage: see support/session.hpp for the program's own flags;
// --benchmark_filter, --benchmark_out=<file> and the others are Google Benchmark's.

#include "host_cost.hpp"
#include "layer_norm_cases.cuh"

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<layer_norm_op>(run, tensors, "layer_norm");
    register_host_cost(run);
  });
}

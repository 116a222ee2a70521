// SPDX-License-Identifier: MIT
//
// Log-softmax forward, x and y of one type, on one GPU, cold: the cases of support/row_cases.cuh, named
// log_softmax/.... Every case is checked against float64 before it is timed. Flags: support/session.hpp, and Google
// Benchmark's.

#include "softmax_cases.cuh"

namespace rowfold_bench {
namespace {

template <class T>
using log_softmax_op = softmax_op<T, true>;

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_row_op<log_softmax_op>(run, tensors, "log_softmax");
  });
}

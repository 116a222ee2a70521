// SPDX-License-Identifier: MIT
//
// Cross-entropy forward with int64 labels, loss and log-sum-exp, on one GPU, cold. Names: support/row_cases.cuh,
// and
//   cross_entropy_smooth/...   with label smoothing
//   cross_entropy_capped/...   with soft-capped logits
// Bytes: the logits once, and label and results of each row. Every case is checked against float64 before it is timed.

#include "cross_entropy_cases.cuh"

namespace {

using namespace rowfold_bench;

// Narrow rows for comparison with other ops; then the vocabularies of language models.
constexpr int vocabularies[] = {64, 1024, 4096, 8192, 32768, 65536, 128256, 131072, 262144};
constexpr int neighboured_vocabularies[] = {1024, 4096, 32768, 128256};
constexpr int offset_vocabularies[] = {4096, 32768, 131072};
constexpr int option_vocabularies[] = {4096, 32768, 131072};

template <class T>
void register_cross_entropy(session& run, row_tensors& tensors) {
  const char* const dtype = dtype_name<T>::text;
  for (const int cols : vocabularies) register_large<cross_entropy_op<T>>(run, tensors, "cross_entropy", dtype, cols);
  for (const int width : neighboured_vocabularies) {
    register_large<cross_entropy_op<T>>(run, tensors, "cross_entropy", dtype, width + 1);
  }
  for (const int cols : offset_vocabularies) {
    register_large<cross_entropy_op<T>>(run, tensors, "cross_entropy_offset", dtype, cols, 1);
  }
  register_graphs<cross_entropy_op<T>>(run, tensors, "cross_entropy", dtype);
  for (const int cols : option_vocabularies) {
    register_large<cross_entropy_op<T, smoothed_labels>>(run, tensors, "cross_entropy_smooth", dtype, cols);
    register_large<cross_entropy_op<T, capped_logits>>(run, tensors, "cross_entropy_capped", dtype, cols);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_row_benchmarks(argc, argv, [](session& run, row_tensors& tensors) {
    register_cross_entropy<__nv_bfloat16>(run, tensors);
    register_cross_entropy<__half>(run, tensors);
    register_cross_entropy<float>(run, tensors);
  });
}

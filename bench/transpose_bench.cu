// SPDX-License-Identifier: MIT
//
// Transpose of 2^28 elements on one GPU, cold. The names:
//   transpose/<dtype>/<rows>/<cols>             one matrix
//   transpose_batch/<dtype>/256/16384           64 matrices, as channels and pixels of images
//   transpose_offset/<dtype>/16384/16384        both sides one element past a 16-byte boundary
//   copy/...                                    the yardstick again at the end: shows drift during the run
// 16383 x 16385 has rows that are aligned to nothing. Every element of every case is compared before it is timed.
// --sweep=1 adds the search for the best tiles (transpose_sweep.cuh); the program's other flags: support/session.hpp.

#include "support/reporting.hpp"
#include "transpose_cases.cuh"
#include "transpose_sweep.cuh"

namespace rowfold_bench {
namespace {

constexpr std::int64_t published_widths[] = {16384, 4096, 65536, 1024, 256, 16385};

template <class T>
void register_type(session& run, transpose_data& data) {
  const std::int64_t elements = static_cast<std::int64_t>(run.elements());
  for (const std::int64_t cols : published_widths)
    register_transpose<T>(run, data, "transpose", 1, elements / cols, cols);
  register_transpose<T>(run, data, "transpose_batch", elements / 256 / 16384, 256, 16384);
  register_transpose<T>(run, data, "transpose_offset", 1, elements / 16384, 16384, 1);
}

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  session run(argc, argv);
  const bool sweep = take_flag(argc, argv, "sweep") == "1";
  const bool names_output = has_flag(argc, argv, "benchmark_out");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  run.open();
  transpose_data data(run.elements());
  register_type<__nv_bfloat16>(run, data);
  register_type<float>(run, data);
  const std::int64_t rows = static_cast<std::int64_t>(run.elements()) / 16384;
  register_transpose<std::uint8_t>(run, data, "transpose", 1, rows, 16384);
  register_transpose<double>(run, data, "transpose", 1, rows, 16384);
  if (sweep) register_sweep(run, data);
  run.register_copy();
  return run_benchmarks(names_output);
}

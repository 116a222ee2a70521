// SPDX-License-Identifier: MIT
//
// The frame of a row op's benchmark: the shapes, the names, graphs of small calls. An op on elements of one type is a
// small value type, made of tensors and a shape when its case runs:
//
//   template <class T>
//   struct my_op {
//     my_op(row_tensors&, const row_call&);           // asks for its tensors
//     void enqueue(std::int64_t first_row, cudaStream_t) const;  // one call, on the rows from first_row on; throws
//     std::string plan() const;                       // one line
//     double bytes() const;                           // the fewest that one call can move
//     double row_bytes() const;                       // of the large tensors, those that belong to one row
//     std::string check(std::int64_t rows, run) const;  // run(stream) must write rows [0, rows): check_output.cuh
//   };
//
//   int main(int argc, char** argv) {
//     return rowfold_bench::run_row_benchmarks(argc, argv, [](auto& run, auto& tensors) {
//       rowfold_bench::register_row_op<my_op>(run, tensors, "my_op");
//     });
//   }
//
// It registers, for bfloat16, half and float:
//   my_op/<dtype>/<rows>/<cols>    about 2^28 elements: the published widths, and odd widths beside some of them
//   my_op_offset/...               every tensor one element past a 16-byte boundary
//   my_op_graph/...                small calls replayed in a CUDA graph over tensors that exceed twice the L2 cache
//   my_op_graph_pdl/...            the same with programmatic dependent launch
//   my_op_graph_l2/...             without it, over tensors that stay in L2
//   my_op_graph_l2_pdl/...         the same with it
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "check_output.cuh"
#include "dtype_name.hpp"
#include "reporting.hpp"
#include "row_tensors.cuh"
#include "session.hpp"

namespace rowfold_bench {

/// What a case asks of its op.
struct row_call {
  std::int64_t rows;
  int cols;
  int offset = 0;  ///< elements by which every large tensor starts behind a 16-byte boundary
  bool programmatic = false;
};

/// A list of widths.
struct row_widths {
  const int* first;
  const int* last;
  const int* begin() const { return first; }
  const int* end() const { return last; }
};
template <int N>
constexpr row_widths widths(const int (&list)[N]) {
  return {list, list + N};
}

constexpr int published_widths[] = {64,   128,  256,   512,   768,   1024,   2048,  4096,
                                    5120, 8192, 16384, 32768, 65536, 131072, 262144};
constexpr int neighbour_offsets[] = {-1, 1, 8};  // odd either side, and the next multiple of 16 bytes in 16-bit types
constexpr int neighboured_widths[] = {64, 256, 1024, 4096, 8192, 32768};
constexpr int small_rows[] = {1, 8, 64, 256, 4096};
constexpr int small_widths[] = {4096, 8192};

inline std::string case_name(const std::string& op, const char* dtype, std::int64_t rows, int cols) {
  return op + "/" + dtype + "/" + std::to_string(rows) + "/" + std::to_string(cols);
}

/// One call as a case.
template <class Op>
void register_call(session& run, row_tensors& tensors, const std::string& op, const char* dtype, const row_call& call) {
  run.register_case(case_name(op, dtype, call.rows, call.cols), [=, &tensors] {
    const Op made(tensors, call);
    device_case work;
    work.bytes = made.bytes();
    work.label = made.plan();
    work.enqueue = [made](cudaStream_t stream) { made.enqueue(0, stream); };
    work.check = [made, rows = call.rows, enqueue = work.enqueue] { return made.check(rows, enqueue); };
    return work;
  });
}

/// One case of about session.elements() elements.
template <class Op>
void register_large(session& run, row_tensors& tensors, const std::string& op, const char* dtype, int cols,
                    int offset = 0) {
  const std::int64_t rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(run.elements()) / cols);
  register_call<Op>(run, tensors, op, dtype, row_call{rows, cols, offset});
}

/// Calls over disjoint sets of rows of the large tensors in turn, captured into one graph: set i starts at row i *
/// rows, so that all sets together are checked as one tensor.
template <class Op>
device_case make_graph_case(const session& run, row_tensors& tensors, std::int64_t rows, int cols, bool in_l2,
                            bool programmatic) {
  const Op call(tensors, row_call{rows, cols, 0, programmatic});
  const std::size_t set_elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  const std::size_t set_bytes = static_cast<std::size_t>(call.row_bytes() * static_cast<double>(rows));
  const std::size_t wanted = in_l2 ? run.l2_bytes() / 4 : 2 * run.l2_bytes() + run.l2_bytes() / 8;
  const std::size_t sets = std::clamp<std::size_t>(wanted / set_bytes + 1, 1, run.elements() / set_elements);
  const auto enqueue = [=](std::size_t launches, cudaStream_t stream) {
    for (std::size_t i = 0; i < launches; ++i) call.enqueue(static_cast<std::int64_t>(i % sets) * rows, stream);
  };
  // A graph launch costs some microseconds itself: 64 kernels in it make that small. Whole rounds over the sets.
  const std::size_t launches = (std::max<std::size_t>(sets, 64) + sets - 1) / sets * sets;
  device_case work;
  work.bytes = call.bytes();
  work.label = call.plan() + "; " + std::to_string(sets) + " sets of buffers";
  work.launches = static_cast<int>(launches);
  work.check = [=] {
    return call.check(static_cast<std::int64_t>(sets) * rows, [&](cudaStream_t stream) { enqueue(sets, stream); });
  };
  work.enqueue = [=](cudaStream_t stream) { enqueue(launches, stream); };
  return work;
}

/// The small calls of an op, in graphs.
template <class Op>
void register_graphs(session& run, row_tensors& tensors, const std::string& op, const char* dtype) {
  for (const int cols : small_widths) {
    for (const int rows : small_rows) {
      if (static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) > run.elements()) continue;
      const auto add = [&, rows, cols](const char* kind, bool in_l2, bool programmatic) {
        run.register_case(case_name(op + kind, dtype, rows, cols), [&run, &tensors, rows, cols, in_l2, programmatic] {
          return make_graph_case<Op>(run, tensors, rows, cols, in_l2, programmatic);
        });
      };
      add("_graph", false, false);
      add("_graph_pdl", false, true);
      if (rows >= 4096) continue;  // such tensors do not fit into L2
      add("_graph_l2", true, false);
      add("_graph_l2_pdl", true, true);
    }
  }
}

/// All cases of an op on elements of one type.
template <class Op>
void register_row_cases(session& run, row_tensors& tensors, const std::string& op, const char* dtype,
                        const row_widths& large = widths(published_widths)) {
  for (const int cols : large) register_large<Op>(run, tensors, op, dtype, cols);
  for (const int width : neighboured_widths)
    for (const int offset : neighbour_offsets) register_large<Op>(run, tensors, op, dtype, width + offset);
  for (const int cols : large) register_large<Op>(run, tensors, op + "_offset", dtype, cols, 1);
  register_graphs<Op>(run, tensors, op, dtype);
}

/// All cases of an op, for bfloat16, half and float.
template <template <class> class Op>
void register_row_op(session& run, row_tensors& tensors, const std::string& op,
                     const row_widths& large = widths(published_widths)) {
  register_row_cases<Op<__nv_bfloat16>>(run, tensors, op, dtype_name<__nv_bfloat16>::text, large);
  register_row_cases<Op<__half>>(run, tensors, op, dtype_name<__half>::text, large);
  register_row_cases<Op<float>>(run, tensors, op, dtype_name<float>::text, large);
}

/// The body of a benchmark program's main: `add(session&, row_tensors&)` registers its cases; the yardstick copy
/// follows them. Returns the exit status.
template <class Add>
int run_row_benchmarks(int argc, char** argv, const Add& add) {
  session run(argc, argv);
  const bool names_output = has_flag(argc, argv, "benchmark_out");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  run.open();
  row_tensors tensors(run.elements());
  add(run, tensors);
  run.register_copy();
  return run_benchmarks(names_output);
}

}  // namespace rowfold_bench

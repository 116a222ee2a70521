// SPDX-License-Identifier: MIT
//
// LayerNorm forward with gamma and beta, all of one type, on one GPU, cold. The names:
//   layer_norm/<dtype>/<rows>/<cols>            2^28 elements (x and y are each many times the L2 cache)
//   layer_norm_offset/...                       the same with x and y one element past a 16-byte boundary
//   layer_norm_graph/...                        small calls replayed in a CUDA graph over buffers of 2x L2 together
//   layer_norm_graph_pdl/...                    the same with programmatic dependent launch
//   layer_norm_graph_l2/...                     the same without it, over buffers that stay in L2
//   host/...                                    microseconds of host time per call (host_cost.cu)
//   copy/...                                    the yardstick again at the end: shows drift during the run
// Every case is checked against float64 before it is timed. Usage: see support/session.hpp for the program's own flags;
// --benchmark_filter, --benchmark_out=<file> and the others are Google Benchmark's.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <memory>

#include "host_cost.hpp"
#include "layer_norm_cases.cuh"
#include "support/reporting.hpp"
#include "support/session.hpp"

namespace rowfold_bench {
namespace {

constexpr int published_widths[] = {64,   128,  256,   512,   768,   1024,   2048,  4096,
                                    5120, 8192, 16384, 32768, 65536, 131072, 262144};
constexpr int neighbour_offsets[] = {-1, 1, 8};  // odd either side, and the next multiple of 16 bytes in 16-bit types
constexpr int neighboured_widths[] = {64, 256, 1024, 4096, 8192, 32768};
constexpr int small_rows[] = {1, 8, 64, 256, 4096};
constexpr int small_widths[] = {4096, 8192};

/// The tensors, allocated by the first case that runs.
class lazy_data {
 public:
  explicit lazy_data(std::size_t elements) : elements_(elements) {}
  layer_norm_data& get() {
    if (!data_) data_ = std::make_unique<layer_norm_data>(elements_);
    return *data_;
  }

 private:
  std::size_t elements_;
  std::unique_ptr<layer_norm_data> data_;
};

template <class T>
std::string case_name(const char* op, std::int64_t rows, int cols) {
  return std::string(op) + "/" + dtype_name<T>::text + "/" + std::to_string(rows) + "/" + std::to_string(cols);
}

template <class T>
void register_large(session& run, lazy_data& data, const char* op, int cols, int offset) {
  const std::int64_t rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(run.elements()) / cols);
  run.register_case(case_name<T>(op, rows, cols), [=, &data] {
    layer_norm_data& all = data.get();
    all.prepare<T>();
    const layer_norm_call<T> call{all.x<T>() + offset, all.gamma<T>(), all.beta<T>(), all.y<T>() + offset, rows, cols};
    device_case work;
    work.bytes = call.bytes();
    work.label = call.plan();
    work.enqueue = [call](cudaStream_t stream) { call.enqueue(stream); };
    work.check = [=] { return call.check(call.rows, work.enqueue); };
    return work;
  });
}

/// Calls over `sets` disjoint pairs of buffers in turn, captured into one graph. Set i starts at row i * rows of the
/// large tensors, so that all sets together are checked as one tensor of sets * rows rows.
template <class T>
device_case make_small(const session& run, layer_norm_data& data, int rows, int cols, bool in_l2, bool programmatic) {
  data.prepare<T>();
  const layer_norm_call<T> call{data.x<T>(), data.gamma<T>(), data.beta<T>(), data.y<T>(), rows, cols, programmatic};
  const std::size_t set_elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  const std::size_t set_bytes = 2 * sizeof(T) * set_elements;
  const std::size_t wanted = in_l2 ? run.l2_bytes() / 4 : 2 * run.l2_bytes() + run.l2_bytes() / 8;
  const std::size_t sets = std::clamp<std::size_t>(wanted / set_bytes + 1, 1, run.elements() / set_elements);
  const auto enqueue = [=](std::size_t launches, cudaStream_t stream) {
    layer_norm_call<T> one = call;
    for (std::size_t i = 0; i < launches; ++i) {
      one.x = call.x + i % sets * set_elements;
      one.y = call.y + i % sets * set_elements;
      one.enqueue(stream);
    }
  };
  // A graph launch costs some microseconds itself: 64 kernels in it make that small. Whole rounds over the sets.
  const std::size_t launches = (std::max<std::size_t>(sets, 64) + sets - 1) / sets * sets;
  device_case work;
  work.bytes = call.bytes();
  work.label = call.plan() + "; " + std::to_string(sets) + " pairs of buffers";
  work.launches = static_cast<int>(launches);
  work.check = [=] {
    return call.check(static_cast<std::int64_t>(sets) * rows, [&](cudaStream_t stream) { enqueue(sets, stream); });
  };
  work.enqueue = [=](cudaStream_t stream) { enqueue(launches, stream); };
  return work;
}

template <class T>
void register_type(session& run, lazy_data& data) {
  for (const int cols : published_widths) register_large<T>(run, data, "layer_norm", cols, 0);
  for (const int width : neighboured_widths)
    for (const int offset : neighbour_offsets) register_large<T>(run, data, "layer_norm", width + offset, 0);
  for (const int cols : published_widths) register_large<T>(run, data, "layer_norm_offset", cols, 1);
  for (const int cols : small_widths) {
    for (const int rows : small_rows) {
      if (static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) > run.elements()) continue;
      const auto add = [&run, &data, rows, cols](const char* op, bool in_l2, bool programmatic) {
        run.register_case(case_name<T>(op, rows, cols), [&run, &data, rows, cols, in_l2, programmatic] {
          return make_small<T>(run, data.get(), rows, cols, in_l2, programmatic);
        });
      };
      add("layer_norm_graph", false, false);
      add("layer_norm_graph_pdl", false, true);
      if (rows < 4096) add("layer_norm_graph_l2", true, false);  // 4096 rows do not fit into L2
    }
  }
}

}  // namespace
}  // namespace rowfold_bench

int main(int argc, char** argv) {
  using namespace rowfold_bench;
  session run(argc, argv);
  const bool names_output = has_flag(argc, argv, "benchmark_out");
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  run.open();
  lazy_data data(run.elements());
  register_type<__nv_bfloat16>(run, data);
  register_type<__half>(run, data);
  register_type<float>(run, data);
  register_host_cost(run);
  run.register_copy();
  return run_benchmarks(names_output);
}

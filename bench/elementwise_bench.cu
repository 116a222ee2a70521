// SPDX-License-Identifier: MIT
//
// Elementwise ops on one GPU, cold. All names end in /<dtype>/1/<elements>:
//   vector_add                y = a + b, 2^28 elements (each tensor is many times the L2 cache)
//   vector_add_peeled         the same, every tensor one element past a 16-byte boundary: head, vectors, tail
//   vector_add_unaligned      the same, only a one element past it: element by element
//   scale                     y = 2 a
//   to_float                  y = a, from 16-bit elements to float
//   vector_add_graph          small calls replayed in a CUDA graph over buffers of 2x L2 together
//   vector_add_graph_pdl      the same with programmatic dependent launch
//   copy                      the yardstick again at the end: shows drift during the run
// Every case is checked against float64 before it is timed. --sweep=1 adds the search for the best tuning
// (elementwise_sweep.cuh); the program's other flags: support/session.hpp.

#include <algorithm>

#include "elementwise_cases.cuh"
#include "elementwise_sweep.cuh"
#include "support/reporting.hpp"
#include "support/session.hpp"

namespace rowfold_bench {
namespace {

constexpr std::size_t small_counts[] = {4096, 65536, 1048576, 16777216};

struct twice {
  __device__ float operator()(float x) const { return 2.0f * x; }
};
struct same {
  __device__ float operator()(float x) const { return x; }
};

template <class T>
void register_add(session& run, lazy_vectors& data, const char* op, int a_offset, int other_offset) {
  run.register_case(vector_name<T>(op, run.elements()), [=, &run, &data] {
    const vector_data& all = data.get<T>();
    return vector_add_call<T>{all.a<T>() + a_offset, all.b<T>() + other_offset, all.y<T>() + other_offset,
                              static_cast<std::int64_t>(run.elements())}
        .make();
  });
}

/// y = factor * a, by a function of one argument; Y as wide as float at most.
template <class X, class Y, class Function>
void register_map(session& run, lazy_vectors& data, const char* op, Function function, double factor) {
  run.register_case(vector_name<X>(op, run.elements()), [=, &run, &data] {
    const vector_data& all = data.get<X>();
    const X* a = all.a<X>();
    Y* y = all.y<Y>();
    const rowfold::elementwise_args args{rowfold::inputs(a), rowfold::outputs(y),
                                         static_cast<std::int64_t>(run.elements())};
    device_case work;
    work.bytes = static_cast<double>(sizeof(X) + sizeof(Y)) * static_cast<double>(args.count);
    work.label = rowfold::to_label(rowfold::plan_elementwise(args, this_device()));
    work.enqueue = [=](cudaStream_t stream) { require(rowfold::elementwise(function, args, stream), "elementwise"); };
    work.check = [=, run_once = work.enqueue] {
      return check_elementwise(a, static_cast<const X*>(nullptr), y, args.count, run_once,
                               [=](double value, double) { return factor * value; });
    };
    return work;
  });
}

/// Calls over `sets` disjoint triples of buffers in turn, captured into one graph. Set i starts at element i * count of
/// the large tensors, so that all sets together are checked as one tensor.
template <class T>
void register_small(session& run, lazy_vectors& data, const char* op, std::size_t count, bool programmatic) {
  if (count > run.elements()) return;
  run.register_case(vector_name<T>(op, count), [=, &run, &data] {
    const vector_data& all = data.get<T>();
    const vector_add_call<T> call{all.a<T>(), all.b<T>(), all.y<T>(), static_cast<std::int64_t>(count), programmatic};
    const std::size_t wanted = 2 * run.l2_bytes() + run.l2_bytes() / 8;
    const std::size_t sets = std::clamp<std::size_t>(wanted / (3 * sizeof(T) * count) + 1, 1, run.elements() / count);
    const auto enqueue = [=](std::size_t launches, cudaStream_t stream) {
      vector_add_call<T> one = call;
      for (std::size_t i = 0; i < launches; ++i) {
        one.a = call.a + i % sets * count;
        one.b = call.b + i % sets * count;
        one.y = call.y + i % sets * count;
        one.enqueue(stream);
      }
    };
    // A graph launch costs some microseconds itself: 64 kernels in it make that small. Whole rounds over the sets.
    const std::size_t launches = (std::max<std::size_t>(sets, 64) + sets - 1) / sets * sets;
    device_case work;
    work.bytes = call.bytes();
    work.label = call.plan() + "; " + std::to_string(sets) + " triples of buffers";
    work.launches = static_cast<int>(launches);
    work.check = [=] {
      return call.check(static_cast<std::int64_t>(sets * count), [&](cudaStream_t stream) { enqueue(sets, stream); });
    };
    work.enqueue = [=](cudaStream_t stream) { enqueue(launches, stream); };
    return work;
  });
}

template <class T>
void register_type(session& run, lazy_vectors& data) {
  register_add<T>(run, data, "vector_add", 0, 0);
  register_add<T>(run, data, "vector_add_peeled", 1, 1);
  register_add<T>(run, data, "vector_add_unaligned", 1, 0);
  register_map<T, T>(run, data, "scale", twice{}, 2.0);
  for (const std::size_t count : small_counts) {
    register_small<T>(run, data, "vector_add_graph", count, false);
    register_small<T>(run, data, "vector_add_graph_pdl", count, true);
  }
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
  lazy_vectors data(run.elements());
  register_type<__nv_bfloat16>(run, data);
  register_map<__nv_bfloat16, float>(run, data, "to_float", same{}, 1.0);
  register_type<__half>(run, data);
  register_map<__half, float>(run, data, "to_float", same{}, 1.0);
  register_type<float>(run, data);
  if (sweep) register_sweep(run, data);
  run.register_copy();
  return run_benchmarks(names_output);
}

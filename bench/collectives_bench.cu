// SPDX-License-Identifier: MIT
//
// Warp and block all-reductions of one value per thread, ours beside CUB's, without any memory traffic. The names:
//   block_all_reduce/<value>/<block threads>        rowfold::block_reduce, two storages in turn: one barrier each
//   cub_block_all_reduce/<value>/<block threads>    cub::BlockReduce, then thread 0 shares the result: two barriers
//   warp_all_reduce/<value>/<lanes>                 rowfold::warp_all_reduce
//   cub_warp_all_reduce/<value>/<lanes>             cub::WarpReduce, then lane 0 shares the result
// <value> is float (a sum), arg_max (a float and its index) or moments (12 bytes, merged with a division-free tree).
// The grid fills every multiprocessor with 1024 threads, half of what it holds, so that other blocks can cover a
// barrier's latency as they do in a row kernel. Each reduction depends on the one before. Counters:
//   microseconds (of one launch, median), noise, nanoseconds_per_reduction (of a whole multiprocessor's blocks at
//   once).
// Every result is checked before it is timed. Flags: as for layer_norm_bench (support/session.hpp).

#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

#include <functional>
#include <string>
#include <vector>

#include "rowfold/block/block_reduce.cuh"
#include "rowfold/folds/indexed.cuh"
#include "rowfold/folds/moments.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/simt/simt.cuh"
#include "rowfold/warp/warp_reduce.cuh"
#include "support/device.hpp"
#include "support/reporting.hpp"
#include "support/session.hpp"
#include "support/statistics.hpp"
#include "support/timing.hpp"

namespace rowfold_bench {
namespace {

namespace simt = rowfold::simt;

constexpr int reductions = 1000;  // per launch
constexpr int threads_per_multiprocessor = 1024;

// A value of each kind: what a thread contributes, given the previous result (which it must depend on, and which leaves
// the contribution as it was if it is right), and whether the last result is right for `count` contributions.
struct float_sum {
  using value = float;
  using op = rowfold::sum;
  static constexpr const char* name = "float";
  __device__ static value contribute(int thread, int count, value previous) {
    // Whole numbers below 2^24: exact in any order.
    return static_cast<float>(thread) + (previous - static_cast<float>(count * (count - 1) / 2));
  }
  static value first(int count) { return static_cast<float>(count * (count - 1) / 2); }
  static bool right(value result, int count) { return result == first(count); }
};
struct arg_maximum {
  using value = rowfold::indexed<float, int>;
  using op = rowfold::arg_max;
  static constexpr const char* name = "arg_max";
  __device__ static value contribute(int thread, int count, value previous) {
    // Each value twice; the last pair is the largest.
    return {static_cast<float>(thread / 2), thread + (previous.index - (count - 1) / 2 * 2)};
  }
  static value first(int count) { return {static_cast<float>((count - 1) / 2), (count - 1) / 2 * 2}; }
  static bool right(value result, int count) {
    return result.value == first(count).value && result.index == first(count).index;
  }
};
struct counted_moments {
  using value = rowfold::moments<float>;
  using op = rowfold::merge_moments;
  static constexpr const char* name = "moments";
  __device__ static value contribute(int thread, int count, value previous) {
    return {static_cast<float>(thread % 2), 0.0f, 1 + previous.count - count};
  }
  static value first(int count) { return {0.5f, 0.25f * static_cast<float>(count), count}; }
  // Zeros and ones in equal number: every merge is exact in a tree, and nearly so in CUB's order.
  static bool right(value result, int count) {
    const float m2 = 0.25f * static_cast<float>(count);
    return result.count == count && result.mean > 0.4999f && result.mean < 0.5001f && result.m2 > 0.999f * m2 &&
           result.m2 < 1.001f * m2;
  }
};

template <class Kind, int Threads>
struct our_block {
  using value = typename Kind::value;
  using reduction = rowfold::block_reduce<value, Threads>;
  struct layout {
    typename reduction::TempStorage storage[2];
  };
  __device__ static value all_reduce(layout& shared, value mine, int round) {
    return reduction(shared.storage[round % 2]).all_reduce(mine, typename Kind::op{});
  }
};

template <class Kind, int Threads>
struct cub_block {
  using value = typename Kind::value;
  using reduction = cub::BlockReduce<value, Threads>;
  struct layout {
    typename reduction::TempStorage storage[2];
    value result[2];
  };
  __device__ static value all_reduce(layout& shared, value mine, int round) {
    const value result = reduction(shared.storage[round % 2]).Reduce(mine, typename Kind::op{});
    if (simt::thread_rank() == 0) shared.result[round % 2] = result;
    simt::sync_block();  // thread 0's write before everybody's read, and this round's storage before its next use
    return shared.result[round % 2];
  }
};

template <class Kind, int Lanes>
struct our_warp {
  using value = typename Kind::value;
  struct layout {};
  __device__ static value all_reduce(layout&, value mine, int) {
    return rowfold::warp_all_reduce<Lanes>(mine, typename Kind::op{});
  }
};

template <class Kind, int Lanes>
struct cub_warp {
  using value = typename Kind::value;
  using reduction = cub::WarpReduce<value, Lanes>;
  struct layout {
    typename reduction::TempStorage storage[threads_per_multiprocessor / Lanes];
  };
  __device__ static value all_reduce(layout& shared, value mine, int) {
    const value result = reduction(shared.storage[simt::thread_rank() / Lanes]).Reduce(mine, typename Kind::op{});
    return simt::shuffle(result, 0u, static_cast<unsigned>(Lanes));
  }
};

// `reductions` reductions in a row over groups of `Count` threads; thread t of the grid stores the last result it got.
template <class Kind, class Scope, int Count>
__global__ void reductions_kernel(typename Kind::value first, typename Kind::value* out) {
  auto& shared = simt::shared<typename Scope::layout>();
  const int thread = static_cast<int>(simt::thread_rank()) % Count;
  typename Kind::value result = first;
  for (int round = 0; round < reductions; ++round) {
    result = Scope::all_reduce(shared, Kind::contribute(thread, Count, result), round);
  }
  out[simt::block_rank() * simt::block_threads() + simt::thread_rank()] = result;
}

template <class Kind, class Scope, int Count>
void run_case(benchmark::State& state, const session& run, int block_threads) {
  using value = typename Kind::value;
  int device = 0, multiprocessors = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  const int blocks = multiprocessors * (threads_per_multiprocessor / block_threads);
  const auto threads = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(block_threads);
  device_memory out(threads * sizeof(value));
  const std::function<void(cudaStream_t)> launch = [&](cudaStream_t stream) {
    reductions_kernel<Kind, Scope, Count>
        <<<static_cast<unsigned>(blocks), static_cast<unsigned>(block_threads), sizeof(typename Scope::layout),
           stream>>>(Kind::first(Count), out.as<value>());
    require(cudaGetLastError(), "reductions_kernel");
  };
  device_stream stream;
  launch(stream.get());
  stream.synchronize();
  std::vector<value> results(threads);
  require(cudaMemcpy(results.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (const value& result : results)
    if (!Kind::right(result, Count)) return state.SkipWithError("wrong result");

  group_timer<std::function<void(cudaStream_t)>> timer(stream.get(), run.timing(), launch);
  std::vector<double> seconds;
  for (auto _ : state) {
    seconds.push_back(timer.seconds());
    state.SetIterationTime(seconds.back());
  }
  state.counters["microseconds"] = 1.0e6 * median(seconds);
  state.counters["noise"] = relative_noise(seconds);
  state.counters["nanoseconds_per_reduction"] = 1.0e9 * median(seconds) / reductions;
}

template <class Kind, class Scope, int Count>
void register_scope(const session& run, const char* op, int block_threads) {
  const std::string name = std::string(op) + "/" + Kind::name + "/" + std::to_string(Count);
  benchmark::RegisterBenchmark(name.c_str(),
                               [&run, block_threads](benchmark::State& state) {
                                 if (!run.has_device()) return state.SkipWithError(run.device_error().c_str());
                                 try {
                                   run_case<Kind, Scope, Count>(state, run, block_threads);
                                 } catch (const std::exception& error) {
                                   state.SkipWithError(error.what());
                                 }
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(run.timing().groups);
}

template <class Kind, int Threads>
void register_block(const session& run) {
  register_scope<Kind, our_block<Kind, Threads>, Threads>(run, "block_all_reduce", Threads);
  register_scope<Kind, cub_block<Kind, Threads>, Threads>(run, "cub_block_all_reduce", Threads);
}

template <class Kind>
void register_kind(const session& run) {
  register_scope<Kind, our_warp<Kind, 8>, 8>(run, "warp_all_reduce", 256);
  register_scope<Kind, cub_warp<Kind, 8>, 8>(run, "cub_warp_all_reduce", 256);
  register_scope<Kind, our_warp<Kind, 32>, 32>(run, "warp_all_reduce", 256);
  register_scope<Kind, cub_warp<Kind, 32>, 32>(run, "cub_warp_all_reduce", 256);
  register_block<Kind, 64>(run);
  register_block<Kind, 128>(run);
  register_block<Kind, 192>(run);
  register_block<Kind, 256>(run);
  register_block<Kind, 512>(run);
  register_block<Kind, 1024>(run);
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
  register_kind<float_sum>(run);
  register_kind<arg_maximum>(run);
  register_kind<counted_moments>(run);
  return run_benchmarks(names_output);
}

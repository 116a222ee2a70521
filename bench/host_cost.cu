// SPDX-License-Identifier: MIT
//
// See host_cost.hpp. Host clocks around groups of calls. A group is shorter than the driver's launch queue (about
// 1000), so no call waits for the device; the device is synchronised between groups, outside the clock.

#include "host_cost.hpp"

#include <cuda_runtime.h>

#include <chrono>
#include <exception>
#include <vector>

#include "layer_norm_cases.cuh"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/layer_norm.hpp"
#include "support/statistics.hpp"

namespace rowfold_bench {
namespace {

constexpr int calls_per_group = 256;
constexpr int groups = 41;
constexpr int rows = 8;
constexpr int cols = 1024;

__global__ void empty_kernel() {}

void launch_empty(cudaStream_t stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(128);
  config.stream = stream;
  require(cudaLaunchKernelEx(&config, empty_kernel), "empty_kernel");
}

template <class Call>
double microseconds_per_call(const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls_per_group; ++i) call();
  const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / calls_per_group;
}

void report(benchmark::State& state, const std::vector<double>& microseconds) {
  for (auto _ : state) state.SetIterationTime(1.0e-6 * median(microseconds));
  state.counters["microseconds"] = median(microseconds);
  state.counters["noise"] = relative_noise(microseconds);
}

/// Planning for a made-up device and pointers that nobody reads: it must work without a GPU.
void plan_alone(benchmark::State& state) {
  alignas(256) static char place[256];
  rowfold::layer_norm_args<__nv_bfloat16> args;
  args.x = reinterpret_cast<const __nv_bfloat16*>(place);
  args.y = reinterpret_cast<__nv_bfloat16*>(place);
  args.gamma = args.x;
  args.beta = args.x;
  args.rows = rows;
  const rowfold::device_info device{};
  std::vector<double> microseconds;
  for (int group = 0; group < groups; ++group) {
    microseconds.push_back(microseconds_per_call([&] {
      args.cols = cols;
      benchmark::DoNotOptimize(args);  // else the compiler plans once, at compile time
      rowfold::row_plan plan = rowfold::plan_layer_norm(args, device);
      benchmark::DoNotOptimize(plan);
    }));
  }
  report(state, microseconds);
}

void whole_call(benchmark::State& state) {
  row_tensors tensors(static_cast<std::size_t>(rows) * cols);
  const layer_norm_op<__nv_bfloat16> call(tensors, row_call{rows, cols});
  device_stream stream;
  std::vector<double> empty;
  std::vector<double> full;
  for (int group = 0; group < groups + 2; ++group) {
    const double without = microseconds_per_call([&] { launch_empty(stream.get()); });
    stream.synchronize();
    const double with = microseconds_per_call([&] { call.enqueue(0, stream.get()); });
    stream.synchronize();
    if (group < 2) continue;  // code is loaded and the queue grows on the first calls
    empty.push_back(without);
    full.push_back(with);
  }
  state.SetLabel(call.plan());
  report(state, full);
  state.counters["microseconds_empty"] = median(empty);
  state.counters["microseconds_over_empty"] = median(full) - median(empty);
}

}  // namespace

void register_host_cost(session& run) {
  const auto add = [](const char* name, auto body) {
    benchmark::RegisterBenchmark(name, body)->UseManualTime()->Unit(benchmark::kMicrosecond)->Iterations(1);
  };
  add("host/plan", [](benchmark::State& state) { plan_alone(state); });
  add("host/layer_norm", [&run](benchmark::State& state) {
    if (!run.has_device()) return state.SkipWithError(run.device_error().c_str());
    try {
      whole_call(state);
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  });
}

}  // namespace rowfold_bench

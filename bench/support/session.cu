// SPDX-License-Identifier: MIT
//
// See session.hpp. Compiled by nvcc because the yardstick copy has kernels of its own.

#include "session.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "copy_rate.cuh"
#include "reporting.hpp"
#include "statistics.hpp"

#if !defined(ROWFOLD_BENCH_COMMIT)
#define ROWFOLD_BENCH_COMMIT "unknown"
#endif

namespace rowfold_bench {
namespace {

std::string version_text(int version) {  // 13000 -> "13.0"
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The first line that a command prints, or "unknown".
std::string first_line_of(const char* command) {
  std::string line;
  if (FILE* pipe = popen(command, "r")) {
    char buffer[128];
    if (std::fgets(buffer, sizeof buffer, pipe) != nullptr) line = buffer;
    pclose(pipe);
  }
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  return line.empty() ? "unknown" : line;
}

/// Keeps the device busy until its clocks have risen from idle.
void warm_up(std::size_t bytes) {
  device_memory source(bytes);
  device_memory target(bytes);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500)) {
    require(cudaMemcpyAsync(target.data(), source.data(), bytes, cudaMemcpyDeviceToDevice, nullptr), "warm-up copy");
    require(cudaDeviceSynchronize(), "warm-up");
  }
}

}  // namespace

session::session(int& argc, char** argv) {
  const std::string elements = take_flag(argc, argv, "elements");
  const std::string groups = take_flag(argc, argv, "groups");
  const std::string check_only = take_flag(argc, argv, "check_only");
  if (!elements.empty()) elements_ = std::strtoull(elements.c_str(), nullptr, 10);
  if (!groups.empty()) timing_.groups = std::atoi(groups.c_str());
  if (check_only == "1") {
    timing_.one_launch = true;
    timing_.groups = 1;
    copy_bytes_ = std::size_t{1} << 24;
  }
}

void session::open() {
  const char* commit = std::getenv("ROWFOLD_COMMIT");
  benchmark::AddCustomContext("commit", commit != nullptr && *commit != '\0' ? commit : ROWFOLD_BENCH_COMMIT);
  benchmark::AddCustomContext("elements", std::to_string(elements_));
  if (timing_.one_launch) benchmark::AddCustomContext("check_only", "true: the times mean nothing");
  cudaDeviceProp properties{};
  int device = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, device);
  if (status != cudaSuccess) {
    device_error_ = std::string("no usable CUDA device: ") + cudaGetErrorString(status);
    benchmark::AddCustomContext("gpu", "none");
    return;
  }
  int runtime = 0;
  require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  l2_bytes_ = static_cast<std::size_t>(properties.l2CacheSize);
  benchmark::AddCustomContext("gpu", properties.name);
  benchmark::AddCustomContext("multiprocessors", std::to_string(properties.multiProcessorCount));
  benchmark::AddCustomContext("l2_bytes", std::to_string(l2_bytes_));
  benchmark::AddCustomContext("driver",
                              first_line_of("nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null"));
  benchmark::AddCustomContext("cuda", version_text(runtime));

  if (!timing_.one_launch) warm_up(copy_bytes_);
  device_stream stream;
  const std::vector<copy_timing> copies = measure_copies(copy_bytes_, stream.get(), timing_);
  copy_bytes_per_second_ = copies.front().bytes_per_second;
  benchmark::AddCustomContext("copy_bytes", std::to_string(copy_bytes_));
  benchmark::AddCustomContext("copy_bytes_per_second", std::to_string(copy_bytes_per_second_));
  for (const copy_timing& copy : copies)
    benchmark::AddCustomContext(
        "copy: " + copy.name, std::to_string(copy.bytes_per_second) + " bytes/s, noise " + std::to_string(copy.noise));
}

void session::register_case(const std::string& name, std::function<device_case()> make) {
  const auto body = [this, make = std::move(make)](benchmark::State& state) {
    if (!has_device()) return state.SkipWithError(device_error_.c_str());
    try {
      run_case(state, make());
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), body)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(timing_.groups);
}

void session::register_copy() {
  const auto body = [this](benchmark::State& state) {
    if (!has_device()) return state.SkipWithError(device_error_.c_str());
    try {
      device_stream stream;
      const copy_timing best = measure_copies(copy_bytes_, stream.get(), timing_).front();
      const double seconds = 2.0 * static_cast<double>(copy_bytes_) / best.bytes_per_second;
      for (auto _ : state) state.SetIterationTime(seconds);
      state.SetLabel(best.name);
      state.counters["microseconds"] = 1.0e6 * seconds;
      state.counters["noise"] = best.noise;
      state.counters["bytes_per_second"] = best.bytes_per_second;
      state.counters["fraction_of_copy"] = best.bytes_per_second / copy_bytes_per_second_;
    } catch (const std::exception& error) {
      state.SkipWithError(error.what());
    }
  };
  benchmark::RegisterBenchmark(("copy/byte/1/" + std::to_string(copy_bytes_)).c_str(), body)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond)
      ->Iterations(1);
}

void session::run_case(benchmark::State& state, const device_case& work) const {
  state.SetLabel(work.label);
  if (work.check) {
    const std::string wrong = work.check();
    if (!wrong.empty()) return state.SkipWithError(wrong.c_str());
  }
  device_stream stream;
  std::unique_ptr<device_graph> graph;
  std::function<void(cudaStream_t)> launch = work.enqueue;
  if (work.launches > 1) {
    graph = std::make_unique<device_graph>(stream.get(), work.enqueue);
    launch = [&graph](cudaStream_t s) { graph->launch(s); };
  }
  group_timer<std::function<void(cudaStream_t)>> timer(stream.get(), timing_, launch);
  std::vector<double> seconds;
  for (auto _ : state) {
    seconds.push_back(timer.seconds() / work.launches);
    state.SetIterationTime(seconds.back());
  }
  const double rate = work.bytes / median(seconds);
  state.counters["microseconds"] = 1.0e6 * median(seconds);
  state.counters["noise"] = relative_noise(seconds);
  state.counters["bytes_per_second"] = rate;
  state.counters["fraction_of_copy"] = rate / copy_bytes_per_second_;
  state.counters["launches_per_group"] = static_cast<double>(timer.launches()) * work.launches;
}

}  // namespace rowfold_bench

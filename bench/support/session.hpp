// SPDX-License-Identifier: MIT
//
// What all device benchmarks of one program share: options, the stream, the yardstick copy, the context lines of the
// report, and `register_case`, which checks a case, times it and fills in its counters:
//   microseconds (median of the groups), noise, bytes_per_second, fraction_of_copy, launches_per_group.
// Host only. Errors become SkipWithError; see reporting.hpp for the exit status.
#pragma once

#include <benchmark/benchmark.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>

#include "device.hpp"
#include "timing.hpp"

namespace rowfold_bench {

/// One thing to time on the device.
struct device_case {
  double bytes = 0;                           ///< fewest bytes that one launch can move
  std::string label;                          ///< the plan in one line
  std::function<std::string()> check;         ///< runs the case once; empty when the result is right, else why not
  std::function<void(cudaStream_t)> enqueue;  ///< makes `launches` launches
  int launches = 1;                           ///< more than one: they are captured into a graph, and replays are timed
};

/// Options and measured state of one run. One object per program, alive until the benchmarks have run.
class session {
 public:
  /// Reads and removes --elements=N, --groups=N and --check_only=1 from the arguments; needs no device.
  ///   elements    size of the large tensors (default 2^28)
  ///   groups      timings per case
  ///   check_only  one launch per group and a small copy: for runs under a checking tool; its times mean nothing
  session(int& argc, char** argv);

  /// Adds GPU, driver, CUDA, commit and the copy's rate to the report's context. Measures the copy: call once, before
  /// the benchmarks run. Without a device it adds gpu = none, and every device case then fails with that reason.
  void open();

  /// Registers a case under "<op>/<dtype>/<rows>/<cols>". What `make` captures must live until the benchmarks have run;
  /// it is called when the case runs.
  void register_case(const std::string& name, std::function<device_case()> make);

  /// Registers the yardstick copy as a benchmark of its own: run last, it shows how far the card drifted.
  void register_copy();

  bool has_device() const { return device_error_.empty(); }
  /// Why there is no device; empty when there is one.
  const std::string& device_error() const { return device_error_; }
  const timing_options& timing() const { return timing_; }
  std::size_t elements() const { return elements_; }
  std::size_t l2_bytes() const { return l2_bytes_; }
  double copy_bytes_per_second() const { return copy_bytes_per_second_; }

 private:
  void run_case(benchmark::State& state, const device_case& work) const;

  timing_options timing_;
  std::size_t elements_ = std::size_t{1} << 28;
  std::size_t copy_bytes_ = std::size_t{4} << 30;
  std::size_t l2_bytes_ = 0;
  double copy_bytes_per_second_ = 0;
  std::string device_error_;
};

}  // namespace rowfold_bench

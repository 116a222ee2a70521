// SPDX-License-Identifier: MIT
//
// Google Benchmark's reporters with two changes: a benchmark keeps the name it was registered under (the library
// appends "/iterations:9/manual_time"), and failed benchmarks are counted, because the library exits with 0 whatever
// failed. `run_benchmarks` is the body of a benchmark's main. Host only; Google Benchmark 1.7.1 or later.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rowfold_bench {

// 1.7 says `error_occurred`; later versions have `skipped`, an enumeration whose 0 means "not skipped".
template <class Run>
auto failed(const Run& run, int) -> decltype(run.error_occurred) {
  return run.error_occurred;
}
template <class Run>
auto failed(const Run& run, long) -> decltype(static_cast<bool>(run.skipped)) {
  return static_cast<bool>(run.skipped);
}

/// `Base` with the names as registered; counts runs and failures.
template <class Base>
class plain_name_reporter : public Base {
 public:
  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    std::vector<benchmark::BenchmarkReporter::Run> renamed = runs;
    for (auto& run : renamed) {
      run.run_name.iterations.clear();
      run.run_name.time_type.clear();
      ++runs_;
      if (failed(run, 0)) failures_.push_back(run.run_name.str());
    }
    Base::ReportRuns(renamed);
  }

  int runs() const { return runs_; }
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  int runs_ = 0;
  std::vector<std::string> failures_;
};

/// Runs what is registered. Returns the exit status: 0 only when at least one benchmark ran and none failed.
/// `names_output` says that --benchmark_out was given: the library accepts a file reporter only then.
inline int run_benchmarks(bool names_output) {
  plain_name_reporter<benchmark::ConsoleReporter> console;
  plain_name_reporter<benchmark::JSONReporter> file;
  benchmark::RunSpecifiedBenchmarks(&console, names_output ? &file : nullptr);
  benchmark::Shutdown();
  if (console.runs() == 0) std::fprintf(stderr, "no benchmark ran\n");
  for (const std::string& name : console.failures()) std::fprintf(stderr, "FAILED: %s\n", name.c_str());
  return console.runs() > 0 && console.failures().empty() ? 0 : 1;
}

/// Removes `--name=value` from the arguments and returns the value, or the empty string.
inline std::string take_flag(int& argc, char** argv, std::string_view name) {
  const std::string prefix = "--" + std::string(name) + "=";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.compare(0, prefix.size(), prefix) != 0) continue;
    for (int j = i; j + 1 < argc; ++j) argv[j] = argv[j + 1];
    --argc;
    return argument.substr(prefix.size());
  }
  return {};
}

/// True when some argument starts with `--name=`.
inline bool has_flag(int argc, char** argv, std::string_view name) {
  const std::string prefix = "--" + std::string(name) + "=";
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).substr(0, prefix.size()) == prefix) return true;
  return false;
}

}  // namespace rowfold_bench

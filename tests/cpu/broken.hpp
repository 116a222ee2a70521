// SPDX-License-Identifier: MIT
// Running kernels that are wrong on purpose, under every schedule, and what the executor says about them.
#pragma once

#include <string>
#include <vector>

#include "rowfold/launch/launch.cuh"
#include "rowfold/simt/simt.cuh"
#include "support/check.hpp"

namespace rowfold_test {

namespace cpu = rowfold::cpu;
namespace simt = rowfold::simt;

struct named_schedule {
  const char* name;
  cpu::schedule order;
};

inline std::vector<named_schedule> all_schedules() {
  return {{"forward", cpu::schedule::forward()},      {"reverse", cpu::schedule::reverse()},
          {"greedy_up", cpu::schedule::greedy_up()},  {"greedy_down", cpu::schedule::greedy_down()},
          {"shuffle:1", cpu::schedule::shuffle(1)},   {"shuffle:2", cpu::schedule::shuffle(2)},
          {"shuffle:77", cpu::schedule::shuffle(77)}, {"shuffle:1234", cpu::schedule::shuffle(1234)}};
}

// Sets a schedule for its lifetime.
class under {
 public:
  explicit under(const cpu::schedule& order) : before_(cpu::current_schedule()) { cpu::set_schedule(order); }
  ~under() { cpu::set_schedule(before_); }
  under(const under&) = delete;
  under& operator=(const under&) = delete;

 private:
  cpu::schedule before_;
};

template <class Body>
void call_kernel(const Body* body) {
  (*body)();
}

// Shape of a test launch: threads per block, blocks, shared bytes, blocks per cluster.
struct shape {
  unsigned threads = 32;
  unsigned blocks = 1;
  unsigned shared_bytes = 0;
  unsigned cluster = 1;
};

// Runs a closure as a kernel, with no copies per thread, so that it may note things in its captures.
template <class Body>
cudaError_t run_kernel(const shape& size, const Body& body) {
  rowfold::launch_config config;
  config.grid_blocks = size.blocks;
  config.block_threads = size.threads;
  config.shared_bytes = size.shared_bytes;
  config.cluster_blocks = size.cluster;
  return rowfold::launch(call_kernel<Body>, config, &body);
}

// Requires that the launch fails as a misbehaving kernel's does, and that a good one works right after it. Returns the
// text.
template <class Body>
std::string failure_of(const shape& size, const Body& body) {
  CHECK(run_kernel(size, body) == cudaErrorLaunchFailure);
  const std::string text = cpu::last_error();
  int threads = 0;
  CHECK(run_kernel(size, [&] {
          simt::sync_block();
          ++threads;
        }) == cudaSuccess);
  CHECK(threads == static_cast<int>(size.threads * size.blocks));
  CHECK(std::string(cpu::last_error()).empty());
  return text;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// "file:line" as the executor's messages write it.
inline std::string at(const char* file, int line) { return std::string(file) + ":" + std::to_string(line); }

}  // namespace rowfold_test

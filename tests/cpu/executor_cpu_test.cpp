// SPDX-License-Identifier: MIT
// The executor as a whole: large shapes, deep stacks, several host threads, outer limits.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cpu/broken.hpp"

using namespace rowfold_test;

namespace {

// Uses about 128 bytes of stack per level, and returns levels.
__attribute__((noinline)) int deep(int levels) {
  volatile char frame[64] = {};
  frame[levels % 64] = 1;
  return levels == 0 ? 0 : deep(levels - 1) + frame[levels % 64];
}

}  // namespace

TEST_CASE("the largest cluster that a device takes runs and synchronises") {
  if (cpu::has_race_detector) return;  // it refuses so many threads: see below
  std::vector<unsigned> sums(16);
  CHECK(run_kernel({1024, 16, 4, 16}, [&] {
          unsigned& shared = simt::shared<unsigned>();
          if (simt::thread_rank() == 0) shared = simt::block_rank() + 1;
          simt::sync_cluster();  // orders the write above before the reads below
          if (simt::thread_rank() == 1023) {
            for (unsigned rank = 0; rank < 16; ++rank) sums[simt::block_rank()] += *simt::map_shared(&shared, rank);
          }
          simt::sync_cluster();  // keeps the blocks alive until they have been read
        }) == cudaSuccess);
  CHECK(sums == std::vector<unsigned>(16, 136));
}

TEST_CASE("kernels may use some 20 KiB of stack each") {
  int sum = 0;
  CHECK(run_kernel({64}, [&] {
          simt::sync_block();
          sum += deep(100);
          simt::sync_block();
        }) == cudaSuccess);
  CHECK(sum == 6400);
}

TEST_CASE("a stack that overflows ends the process at its guard page") {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);  // the test framework would report it as a failure of this test
    (void)std::freopen("/dev/null", "w", stderr);
    (void)run_kernel({1}, [] { deep(1 << 20); });
    std::_Exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CAPTURE(status);
  CHECK((WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0));
}

TEST_CASE("shapes may change from launch to launch") {
  for (const unsigned threads : {1u, 256u, 33u, 1024u, 32u, 1u}) {
    for (const unsigned cluster : {1u, 3u}) {
      unsigned count = 0;
      CHECK(run_kernel({threads, 6, 0, cluster}, [&] {
              simt::sync_block();
              simt::sync_cluster();
              ++count;
            }) == cudaSuccess);
      CHECK(count == threads * 6);
    }
  }
}

TEST_CASE("several host threads launch at the same time, each with its own schedule and error") {
  constexpr int launchers = 4;
  std::vector<std::string> errors(launchers);
  std::vector<int> counts(launchers);
  std::vector<std::thread> threads;
  for (int i = 0; i < launchers; ++i) {
    threads.emplace_back([&, i] {
      const auto at = static_cast<std::size_t>(i);
      cpu::set_schedule(cpu::schedule::shuffle(at));
      for (int turn = 0; turn < 20; ++turn) {
        (void)run_kernel({64}, [&] {
          simt::sync_block();
          ++counts[at];
        });
      }
      (void)run_kernel({32}, [&] {
        if (simt::thread_rank() == static_cast<unsigned>(i)) simt::sync_named(0, 32);
      });
      errors[at] = cpu::last_error();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < launchers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(counts[at] == 20 * 64);
    CHECK(errors[at].find("block 0 thread " + std::to_string(i) + " (") == 0);
  }
}

TEST_CASE("an impossible configuration says what is possible") {
  const auto refusal = [](const shape& size, cudaError_t expected) {
    CHECK(run_kernel(size, [] {}) == expected);
    return std::string(cpu::last_error());
  };
  CHECK(refusal({0}, cudaErrorInvalidConfiguration) == "a block has 1 to 1024 threads");
  CHECK(refusal({1025}, cudaErrorInvalidConfiguration) == "a block has 1 to 1024 threads");
  CHECK(refusal({1, 0}, cudaErrorInvalidConfiguration) == "a grid has 1 to 2147483647 blocks");
  CHECK(refusal({1, 1, 232449}, cudaErrorInvalidValue) == "a block has at most 232448 bytes of shared memory");
  for (const shape& size : {shape{1, 34, 0, 17}, shape{1, 3, 0, 2}, shape{1, 2, 0, 0}}) {
    CHECK(refusal(size, cudaErrorInvalidClusterSize) == "a cluster has 1 to 16 blocks, and a grid has whole clusters");
  }
}

#if defined(__SANITIZE_THREAD__)
TEST_CASE("the race detector refuses more threads than it can hold", "[race]") {
  CHECK(run_kernel({257}, [] {}) == cudaErrorLaunchFailure);
  CHECK(std::string(cpu::last_error()) ==
        "the race detector runs at most 256 threads at a time; this launch has 257 per cluster");
  CHECK(run_kernel({256}, [] {}) == cudaSuccess);
}
#endif

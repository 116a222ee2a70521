// SPDX-License-Identifier: MIT
// The CPU executor: runs a grid of CUDA threads on the calling host thread, one fiber per CUDA thread.
//
// Blocks run one after another, a cluster's blocks together. Threads run until they wait, in the order of a schedule
// (schedule.hpp). Misuse (a divergent barrier, a wrong mask, an absent lane, an early exit, a hang, a write next to
// shared memory, an exception) fails the launch with a sentence that names block, thread and source lines:
// last_error().
//
// Cost, measured on one core of a shared server at -O2: 36 ns per wait of a thread at a barrier or warp operation, 12
// ns per thread that never waits; a LayerNorm of 4096 rows of 1024 floats, 128 threads a row, takes 0.47 s. A test
// therefore wants few rows, and no more threads than it is about.
//
// For primitives built on top (mbarrier.hpp and async_operations.hpp are):
// - current_thread() is the running CUDA thread: its rank, lane, block (its shared arena, its rank) and owner;
//   the whole cluster is owner->cluster(). Open an `ignore_races scope(*self.on)` at the start of every such primitive.
// - fail(thread, format, ...) ends the launch with "block B thread T (warp W lane L) " and the text.
// - wait_until(key, what, where, condition) blocks until the condition holds; whoever makes it hold calls
//   notify(owner, key). yield(what, where) serves polling loops (a failed try_wait). A hang is found and reported in
//   both.
// - An async_agent (async_agent.hpp), attached with owner->attach(agent) at the first asynchronous operation of a
//   cluster, is asked to complete one operation whenever no thread can run, may complete some at any switch of the
//   shuffle schedule, and says at the end whether something was left in flight.
// - Ordering for the race detector: owner->new_race_object() once per barrier instance; race_release(object) by
//   those who arrive, race_acquire(object) by those who have waited.
#pragma once

#include <driver_types.h>

#include "rowfold/cpu/barrier.hpp"
#include "rowfold/cpu/cluster_barrier.hpp"
#include "rowfold/cpu/traffic.hpp"
#include "rowfold/cpu/wait.hpp"
#include "rowfold/cpu/warp_operation.hpp"
#include "rowfold/cpu/worker.hpp"
#include "rowfold/cpu/worker_run.hpp"
#include "rowfold/cpu/worker_switch.hpp"
#include "rowfold/launch/launch_config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// What a launch may ask for, as on a large GPU of today.
constexpr unsigned most_block_threads = 1024;
constexpr unsigned most_cluster_blocks = 16;
constexpr unsigned most_shared_bytes = 227 * 1024;

// The schedule of launches from the calling host thread: what ROWFOLD_SCHEDULE says when the thread first asks, until
// set_schedule.
inline schedule& current_schedule() {
  static thread_local schedule current = [] {
    schedule chosen = schedule::forward();
    const char* text = std::getenv("ROWFOLD_SCHEDULE");
    if (text != nullptr && !parse_schedule(text, chosen)) {
      std::fprintf(
          stderr, "rowfold: ROWFOLD_SCHEDULE is \"%s\", not forward, reverse, greedy_up, greedy_down or shuffle:SEED\n",
          text);
      std::abort();
    }
    return chosen;
  }();
  return current;
}
inline void set_schedule(const schedule& order) { current_schedule() = order; }

inline cudaError_t refuse(cudaError_t error, const char* why) {
  launch_error.clear();
  launch_error.append("%s", why);
  return error;
}

// Runs body(arguments) as every thread of the grid; returns when all have ended. cudaErrorLaunchFailure when the kernel
// misbehaved, other errors when the configuration is impossible; last_error() says more.
inline cudaError_t run_grid(const launch_config& config, void (*body)(const void*), const void* arguments) {
  if (running_thread != nullptr) {
    fail(*running_thread, "launches a kernel");
  }
  if (config.grid_blocks == 0 || config.grid_blocks > 0x7fffffffu) {
    return refuse(cudaErrorInvalidConfiguration, "a grid has 1 to 2147483647 blocks");
  }
  if (config.block_threads == 0 || config.block_threads > most_block_threads) {
    return refuse(cudaErrorInvalidConfiguration, "a block has 1 to 1024 threads");
  }
  if (config.shared_bytes > most_shared_bytes) {
    return refuse(cudaErrorInvalidValue, "a block has at most 232448 bytes of shared memory");
  }
  if (config.cluster_blocks == 0 || config.cluster_blocks > most_cluster_blocks ||
      config.grid_blocks % config.cluster_blocks != 0) {
    return refuse(cudaErrorInvalidClusterSize, "a cluster has 1 to 16 blocks, and a grid has whole clusters");
  }
  grid work;
  work.blocks = config.grid_blocks;
  work.block_threads = config.block_threads;
  work.cluster_blocks = config.cluster_blocks;
  work.shared_bytes = config.shared_bytes;
  work.body = body;
  work.arguments = arguments;
  return this_worker().run(work, current_schedule()) ? cudaSuccess : cudaErrorLaunchFailure;
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

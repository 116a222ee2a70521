// SPDX-License-Identifier: MIT
// The worker: runs the clusters of a grid one after another on the launching host thread, and switches between the CUDA
// threads of the running cluster.
//
// A thread runs until it waits; it then switches straight to the next one that the schedule chooses. A thread that has
// finished runs the next new one on its own stack, so a kernel without barriers needs one stack. An error switches out
// to the host's stack and leaves the kernel's where they are: nothing is thrown through a kernel. The member functions
// are defined in worker_run.hpp (on the host's stack) and worker_switch.hpp (on the kernels').
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "rowfold/cpu/async_agent.hpp"
#include "rowfold/cpu/error.hpp"
#include "rowfold/cpu/ready_set.hpp"
#include "rowfold/cpu/state.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// The executor's own reads and writes within this scope are no races of the kernel.
class ignore_races {
 public:
  explicit ignore_races(fiber& on) : on_(on) {
    begin_ignoring_races();
    if (has_race_detector) ++on_.ignoring_races;
  }
  ~ignore_races() {
    if (has_race_detector) --on_.ignoring_races;
    end_ignoring_races();
  }
  ignore_races(const ignore_races&) = delete;
  ignore_races& operator=(const ignore_races&) = delete;

 private:
  fiber& on_;
};

// One grid to run. The body is called once per CUDA thread with `arguments`.
struct grid {
  unsigned blocks = 1;
  unsigned block_threads = 1;
  unsigned cluster_blocks = 1;
  std::size_t shared_bytes = 0;
  void (*body)(const void* arguments) = nullptr;
  const void* arguments = nullptr;
};

class worker {
 public:
  // Runs a grid; false: launch_error says why. Called outside kernels only.
  bool run(const grid& work, const schedule& order);

  const grid& current_grid() const { return grid_; }
  cluster_state& cluster() { return cluster_; }

  // Of a thread that has noted what it waits for: runs others until it is made ready.
  void suspend(thread_state& self);
  void make_ready(thread_state& thread) {
    thread.status = thread_status::runnable;
    ready_.add(thread.warp->index, 1u << thread.lane);
    progressed_ = true;
  }
  // Suspends a runnable thread until all that could run have had a turn.
  void yield(thread_state& self);

  // Ends the launch with launch_error as it stands. On a kernel's stack only.
  [[noreturn]] void abandon() {
    fiber& self = *running_thread->on;
    failed_ = true;
    running_thread = nullptr;
    switch_fiber(self, host_, true);
    __builtin_unreachable();
  }

  void attach(async_agent& agent) { agent_ = &agent; }

  // A new object for ThreadSanitizer to hang an ordering on: each barrier instance needs its own, or a thread early at
  // the next barrier would appear ordered before one late out of the last.
  void* new_race_object() {
    if (!has_race_detector) return nullptr;
    race_objects_.resize(4096);
    return &race_objects_[next_race_object_++ % race_objects_.size()];
  }

 private:
  void shape_cluster();
  bool provide_fibers();
  void prepare_cluster(unsigned cluster_index, const schedule& order);
  bool run_cluster();
  bool check_cluster();
  unsigned place_of_cluster(unsigned i, const schedule& order) const;
  thread_state* next_thread();
  void enter(thread_state& next, fiber& from, pooled_fiber* reusable);
  void run_thread(thread_state& self);
  void finish(thread_state& self);
  [[noreturn]] void fiber_loop(pooled_fiber& self);
  static void fiber_entry(boost::context::detail::transfer_t from);
  pooled_fiber* new_fiber();

  grid grid_;
  cluster_state cluster_;
  ready_set ready_;
  bool shuffled_ = false;
  bool progressed_ = false;  // since the yielded threads last had their turn
  unsigned idle_rounds_ = 0;
  bool failed_ = false;
  async_agent* agent_ = nullptr;

  fiber host_;
  std::vector<std::unique_ptr<pooled_fiber>> fibers_;
  std::vector<pooled_fiber*> idle_;  // those that can take a new thread

  std::vector<std::uint64_t> race_objects_;
  std::size_t next_race_object_ = 0;
  std::uint64_t launch_begins_ = 0;  // race objects of the launch itself
  std::uint64_t launch_ends_ = 0;
};

// The executor of the calling host thread. Its stacks are kept for later launches, and freed when the host thread ends.
inline worker& this_worker() {
  static thread_local worker own;
  return own;
}

// Fails the launch: `thread` names whom the message is about, the rest says what it did.
[[noreturn]] __attribute__((format(printf, 2, 3), noinline, cold)) inline void fail(const thread_state& thread,
                                                                                    const char* format, ...) {
  ignore_races scope(*running_thread->on);
  launch_error.append("block %u thread %u (warp %u lane %u) ", thread.block->rank, thread.rank,
                      thread.rank / lanes_per_warp, thread.lane);
  va_list values;
  va_start(values, format);
  launch_error.append_list(format, values);
  va_end(values);
  thread.owner->abandon();
}

// The running CUDA thread. Ends the process outside a kernel: there is no launch to report to.
inline thread_state& current_thread() {
  if (__builtin_expect(running_thread == nullptr, 0)) {
    std::fputs("rowfold: a device function was called outside a kernel\n", stderr);
    std::abort();
  }
  return *running_thread;
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

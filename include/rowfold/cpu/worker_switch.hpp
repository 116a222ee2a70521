// SPDX-License-Identifier: MIT
// The worker's inner part, on the kernels' stacks: choosing the next thread, switching to it, finishing one.
#pragma once

#include <exception>

#include "rowfold/cpu/stall_report.hpp"
#include "rowfold/cpu/warp_operation.hpp"
#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// How often all threads may do nothing but yield before that counts as a hang. A kernel that polls does so until
// something happens, and then progressed_ is set; the allowance is for threads that count their attempts.
constexpr unsigned most_idle_rounds = 10000;

// Null: nothing can ever run again.
inline thread_state* worker::next_thread() {
  while (true) {
    if (agent_ != nullptr && shuffled_) agent_->at_schedule(ready_.random());
    if (!ready_.empty()) {
      const thread_position next = ready_.take();
      return &cluster_.warps[static_cast<std::size_t>(next.warp)].threads[next.lane];
    }
    const bool completed = agent_ != nullptr && agent_->complete_one();
    if (cluster_.yielded.empty()) {
      if (completed) continue;
      return nullptr;
    }
    idle_rounds_ = progressed_ || completed ? 0 : idle_rounds_ + 1;
    if (idle_rounds_ > most_idle_rounds) return nullptr;
    progressed_ = false;
    for (thread_state* thread : cluster_.yielded) {
      thread->status = thread_status::runnable;
      ready_.add(thread->warp->index, 1u << thread->lane);
    }
    cluster_.yielded.clear();
  }
}

// Switches from the fiber `from` to `next`. A new thread takes `reusable`, the fiber that has just become free, if
// there is one; if that is `from` itself, there is no switch.
inline void worker::enter(thread_state& next, fiber& from, pooled_fiber* reusable) {
  if (next.on == nullptr) {
    if (reusable == nullptr && idle_.empty() && new_fiber() == nullptr) {
      launch_error.append("no memory for another stack: %zu are in use (vm.max_map_count may limit them)",
                          fibers_.size());
      abandon();
    }
    if (reusable == nullptr) {
      reusable = idle_.back();
      idle_.pop_back();
    }
    next.on = reusable;
  } else if (reusable != nullptr && !has_race_detector) {
    idle_.push_back(reusable);
  }
  running_thread = &next;
  if (next.on != &from) switch_fiber(from, *next.on);
}

inline void worker::suspend(thread_state& self) {
  thread_state* next = next_thread();
  if (next == nullptr) report_stall(self, cluster_);
  if (next != &self) enter(*next, *self.on, nullptr);
}

inline void worker::yield(thread_state& self) {
  self.status = thread_status::yielded;
  cluster_.yielded.push_back(&self);
  suspend(self);
}

// Kernel code may throw (or call what throws): that ends the launch here, while the exception is no longer in flight.
inline void worker::run_thread(thread_state& self) {
  bool threw = true;
  try {
    grid_.body(grid_.arguments);
    threw = false;
  } catch (const std::exception& error) {
    ignore_races scope(*self.on);
    launch_error.append("block %u thread %u threw an exception: %s", self.block->rank, self.rank, error.what());
  } catch (...) {
    ignore_races scope(*self.on);
    launch_error.append("block %u thread %u threw an exception that is no std::exception", self.block->rank, self.rank);
  }
  if (threw) abandon();
}

// Notes the exit. The library's kernels reach every barrier with all their threads, so leaving while others wait for
// the whole block or cluster is an error (hardware would let them pass). A warp operation goes on without the lane.
inline void worker::finish(thread_state& self) {
  self.status = thread_status::exited;
  progressed_ = true;
  block_state& block = *self.block;
  const barrier_state& barrier = block.barriers[0];
  if (barrier.arrived > 0) {
    fail(self, "exited while %u thread(s) of its block, thread %u first, wait at the barrier %s:%d", barrier.arrived,
         barrier.first_thread, barrier.where.file_name(), barrier.where.line);
  }
  if (cluster_.barrier.arrived > 0 && !self.arrived_at_cluster) {
    fail(self, "exited while %u thread(s) of its cluster have arrived at the cluster's barrier",
         cluster_.barrier.arrived);
  }
  if (block.exited++ == 0) block.first_exited = self.rank;
  if (block.exited == grid_.block_threads && grid_.cluster_blocks > 1) block.shared.close();
  ++cluster_.exited;
  self.warp->exited |= 1u << self.lane;
  complete_without(self);
}

// What each fiber does for ever: the thread it was given, then others as long as there are new ones.
inline void worker::fiber_loop(pooled_fiber& self) {
  while (true) {
    thread_state& thread = *running_thread;
    race_acquire(&launch_begins_);
    run_thread(thread);
    race_release(&launch_ends_);
    ignore_races scope(self);
    finish(thread);
    if (cluster_.exited < cluster_.threads.size()) {
      thread_state* next = next_thread();
      if (next == nullptr) report_stall(thread, cluster_);
      enter(*next, self, &self);
      continue;
    }
    if (!has_race_detector) idle_.push_back(&self);
    running_thread = nullptr;
    switch_fiber(self, host_);
  }
}

inline void worker::fiber_entry(boost::context::detail::transfer_t from) {
  pooled_fiber& self = *running_thread->on;
  worker& owner = *running_thread->owner;
  {
    ignore_races scope(self);
    arrive(self, from);
  }
  owner.fiber_loop(self);
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

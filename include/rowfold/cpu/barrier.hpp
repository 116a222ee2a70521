// SPDX-License-Identifier: MIT
// Barriers of a block: a counted rendezvous of all its threads, or of a named barrier's.
//
// Barrier 0 is the whole block's and must be reached by all threads at one source line. Named barriers (1 to 15) are
// for groups of warps that meet at different lines; what they must agree on is the number of threads.
#pragma once

#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// Makes the waiting threads ready and the barrier new.
inline void release_barrier(block_state& block, barrier_state& barrier, unsigned block_threads) {
  for (unsigned w = 0; w * lanes_per_warp < block_threads; ++w) {
    for (unsigned rest = barrier.waiting[w]; rest != 0; rest &= rest - 1) {
      thread_state& thread = block.warps[w].threads[__builtin_ctz(rest)];
      thread.race_object = barrier.race_object;
      thread.owner->make_ready(thread);
    }
  }
  barrier = barrier_state{};
}

inline void wait_at(thread_state& self, unsigned id, unsigned threads, const call_site& where) {
  block_state& block = *self.block;
  barrier_state& barrier = block.barriers[id];
  if (barrier.arrived == 0) {
    barrier.expected = threads;
    barrier.first_thread = self.rank;
    barrier.where = where;
    barrier.race_object = self.owner->new_race_object();
  }
  ++barrier.arrived;
  barrier.waiting[self.rank / lanes_per_warp] |= 1u << self.lane;
  self.status = thread_status::at_barrier;
  self.waits_in = id == 0 ? "sync_block" : "sync_named";
  self.where = where;
  race_release(barrier.race_object);
  if (barrier.arrived == barrier.expected) {
    release_barrier(block, barrier, self.owner->current_grid().block_threads);
  }
  self.owner->suspend(self);
  race_acquire(self.race_object);
}

// Waits for all threads of the block, and orders memory accesses before it ahead of those after it.
inline void sync_block(const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  const block_state& block = *self.block;
  const barrier_state& barrier = block.barriers[0];
  if (block.exited > 0) {
    fail(self, "waits at the barrier %s:%d, but thread %u of its block has exited", where.file_name(), where.line,
         block.first_exited);
  }
  if (barrier.arrived > 0 && barrier.where != where) {
    fail(self, "is at the barrier %s:%d while thread %u waits at the barrier %s:%d", where.file_name(), where.line,
         barrier.first_thread, barrier.where.file_name(), barrier.where.line);
  }
  wait_at(self, 0, self.owner->current_grid().block_threads, where);
}

// Waits for `threads` threads in all at barrier `id`.
inline void sync_named(unsigned id, unsigned threads, const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  const unsigned block_threads = self.owner->current_grid().block_threads;
  if (id == 0 || id >= barriers_per_block || threads == 0 || threads % lanes_per_warp != 0 || threads > block_threads) {
    fail(self,
         "calls sync_named(%u, %u) at %s:%d: barriers are numbered 1 to %u, and the threads must be whole warps of its "
         "block of %u",
         id, threads, where.file_name(), where.line, barriers_per_block - 1, block_threads);
  }
  const barrier_state& barrier = self.block->barriers[id];
  if (barrier.arrived > 0 && barrier.expected != threads) {
    fail(self, "expects %u threads at barrier %u, %s:%d, while thread %u expects %u there, %s:%d", threads, id,
         where.file_name(), where.line, barrier.first_thread, barrier.expected, barrier.where.file_name(),
         barrier.where.line);
  }
  wait_at(self, id, threads, where);
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

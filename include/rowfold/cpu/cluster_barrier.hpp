// SPDX-License-Identifier: MIT
// A cluster's split barrier, and its blocks' shared memory seen from each other.
#pragma once

#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// Announces that the calling thread has come this far; every thread of the cluster does so once before it waits.
inline void cluster_arrive(const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  cluster_state& cluster = self.owner->cluster();
  cluster_barrier_state& barrier = cluster.barrier;
  if (self.arrived_at_cluster) {
    fail(self, "calls cluster_arrive at %s:%d again, after %s:%d, with no cluster_wait between", where.file_name(),
         where.line, self.arrived_where.file_name(), self.arrived_where.line);
  }
  self.arrived_at_cluster = true;
  self.arrived_where = where;
  self.cluster_phase = barrier.phase;
  if (barrier.arrived == 0) barrier.race_object = self.owner->new_race_object();
  self.cluster_race_object = barrier.race_object;
  race_release(barrier.race_object);
  if (++barrier.arrived < cluster.threads.size()) return;
  barrier.arrived = 0;
  ++barrier.phase;
  for (thread_state& thread : cluster.threads) {
    if (thread.status == thread_status::at_cluster_barrier) self.owner->make_ready(thread);
  }
}

// Waits until every thread of the cluster has arrived.
inline void cluster_wait(const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  if (!self.arrived_at_cluster) {
    fail(self, "calls cluster_wait at %s:%d without cluster_arrive", where.file_name(), where.line);
  }
  if (self.owner->cluster().barrier.phase == self.cluster_phase) {
    self.status = thread_status::at_cluster_barrier;
    self.waits_in = "cluster_wait";
    self.where = where;
    self.owner->suspend(self);
  }
  self.arrived_at_cluster = false;
  race_acquire(self.cluster_race_object);
}

// The address, in the shared memory of block `rank` of the cluster, of what `own` points to in the caller's.
inline void* map_shared(void* own, unsigned rank, std::size_t bytes, const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  cluster_state& cluster = self.owner->cluster();
  const shared_arena& arena = self.block->shared;
  if (rank >= cluster.blocks.size()) {
    fail(self, "calls map_shared at %s:%d for block %u of a cluster of %zu", where.file_name(), where.line, rank,
         cluster.blocks.size());
  }
  unsigned char* const byte = static_cast<unsigned char*>(own);
  if (!arena.contains(byte) || bytes > arena.bytes() - static_cast<std::size_t>(byte - arena.data())) {
    fail(self, "calls map_shared at %s:%d for an object outside its own %zu bytes of shared memory", where.file_name(),
         where.line, arena.bytes());
  }
  const block_state& block = cluster.blocks[rank];
  if (block.exited == self.owner->current_grid().block_threads) {
    fail(self, "calls map_shared at %s:%d for block %u of its cluster, which has exited", where.file_name(), where.line,
         rank);
  }
  return block.shared.data() + (byte - arena.data());
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

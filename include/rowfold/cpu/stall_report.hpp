// SPDX-License-Identifier: MIT
// What to say when no thread of a cluster can ever run again: who waits where.
#pragma once

#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

inline bool wait_alike(const thread_state& a, const thread_state& b) {
  if (a.status != b.status) return false;
  if (a.status == thread_status::exited) return true;
  return a.where == b.where && (a.status != thread_status::in_warp_operation || a.mask == b.mask);
}

inline void describe_wait(const thread_state& thread) {
  if (thread.status == thread_status::exited) return launch_error.append("have exited");
  launch_error.append("wait in %s", thread.waits_in);
  if (thread.status == thread_status::in_warp_operation) launch_error.append(" with mask 0x%08x", thread.mask);
  launch_error.append(" at %s:%d", thread.where.file_name(), thread.where.line);
}

// Threads that wait alike are named together, in ranges: "threads 0-31,64-95 wait in sync_block at kernel.cuh:12".
inline void describe_block(const block_state& block, unsigned threads) {
  const char* between_groups = "";
  for (unsigned first = 0; first < threads; ++first) {
    const thread_state& leader = block.threads[first];
    bool named = false;
    for (unsigned i = 0; i < first && !named; ++i) named = wait_alike(block.threads[i], leader);
    if (named) continue;
    launch_error.append("%sthreads ", between_groups);
    const char* between_ranges = "";
    for (unsigned i = first; i < threads; ++i) {
      if (!wait_alike(block.threads[i], leader)) continue;
      const unsigned begin = i;
      while (i + 1 < threads && wait_alike(block.threads[i + 1], leader)) ++i;
      launch_error.append(begin == i ? "%s%u" : "%s%u-%u", between_ranges, begin, i);
      between_ranges = ",";
    }
    launch_error.append(" ");
    describe_wait(leader);
    between_groups = "; ";
  }
}

[[noreturn]] __attribute__((noinline, cold)) inline void report_stall(thread_state& self, cluster_state& cluster) {
  launch_error.append("no thread can run any more");
  for (const block_state& block : cluster.blocks) {
    launch_error.append("; block %u: ", block.rank);
    describe_block(block, self.owner->current_grid().block_threads);
  }
  self.owner->abandon();
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

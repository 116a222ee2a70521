// SPDX-License-Identifier: MIT
// What the running CUDA thread asks of the asynchronous copies, checked as it is issued: alignment, size, and where the
// addresses lie. The bodies of the functions in ptx/async_copy.cuh, bulk_copy.cuh and store_async.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rowfold/cpu/async_copies.hpp"
#include "rowfold/cpu/cluster_barrier.hpp"
#include "rowfold/cpu/mbarrier.hpp"
#include "rowfold/cpu/traffic.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// What a bulk copy moves at a time; an asynchronous copy of one thread moves 4, 8 or 16 bytes at once.
constexpr unsigned bulk_granule = 16;

inline void require_copyable(const thread_state& self, copy_kind kind, const void* shared, const void* global,
                             unsigned bytes, const call_site& where) {
  const shared_arena& arena = self.block->shared;
  const auto* const first = static_cast<const unsigned char*>(shared);
  const unsigned copy_granule = kind == copy_kind::group_load ? bytes : bulk_granule;
  if (bytes % copy_granule != 0) {
    fail(self, "calls %s at %s:%d for %u bytes, not a multiple of %u", name_of(kind), where.file_name(), where.line,
         bytes, copy_granule);
  }
  for (const void* const pointer : {shared, global}) {
    if (reinterpret_cast<std::uintptr_t>(pointer) % copy_granule == 0) continue;
    fail(self, "calls %s at %s:%d for the address %p in %s memory, not a multiple of %u", name_of(kind),
         where.file_name(), where.line, pointer, pointer == shared ? "shared" : "global", copy_granule);
  }
  if (!arena.contains(first) || bytes > arena.bytes() - static_cast<std::size_t>(first - arena.data())) {
    fail(self, "calls %s at %s:%d for %u bytes outside its block's %zu bytes of shared memory", name_of(kind),
         where.file_name(), where.line, bytes, arena.bytes());
  }
}

// Bytes from global to the block's shared memory: a group_load (barrier null), or a bulk_load onto the block's
// mbarrier.
inline void issue_load(copy_kind kind, void* shared, const void* global, unsigned bytes, void* barrier,
                       const call_site& where) {
  const thread_state& self = current_thread();
  require_copyable(self, kind, shared, global, bytes, where);
  count_load(global, bytes);
  note_read(global, bytes);
  note_write(shared, bytes);
  if (barrier != nullptr) {
    require_own_mbarrier(self, name_of(kind), where, barrier);
    note_read(barrier, sizeof(std::uint64_t));
  }
  ignore_races scope(*self.on);
  if (barrier != nullptr) {
    race_release(race_object_of(barrier, mbarrier_of(self, name_of(kind), where, barrier).phase));
  }
  async_copy copy;
  copy.kind = kind;
  copy.issuer = &self;
  copy.block = self.block;
  copy.source = global;
  copy.target = shared;
  copy.bytes = bytes;
  copy.barrier = barrier;
  copy.where = where;
  this_async_copies().issue(copy);
}

// Bytes from the block's shared memory to global memory.
inline void issue_bulk_store(void* global, const void* shared, unsigned bytes, const call_site& where) {
  const thread_state& self = current_thread();
  require_copyable(self, copy_kind::bulk_store, shared, global, bytes, where);
  count_store(global, bytes);
  note_read(shared, bytes);
  note_write(global, bytes);
  ignore_races scope(*self.on);
  async_copy copy;
  copy.kind = copy_kind::bulk_store;
  copy.issuer = &self;
  copy.block = self.block;
  copy.source = shared;
  copy.target = global;
  copy.bytes = bytes;
  copy.where = where;
  this_async_copies().issue(copy);
}

// The value at `value` to where *own lies, but in block `rank` of the cluster, and its bytes onto the mbarrier there.
inline void issue_remote_store(void* own, const void* value, unsigned bytes, void* own_barrier, unsigned rank,
                               const call_site& where) {
  const thread_state& self = current_thread();
  if (self.owner->current_grid().cluster_blocks < 2) {
    fail(self, "calls store_async at %s:%d in a launch without clusters: the hardware needs two blocks or more",
         where.file_name(), where.line);
  }
  void* const target = map_shared(own, rank, bytes, where);
  void* const barrier = map_shared(own_barrier, rank, sizeof(std::uint64_t), where);
  if (reinterpret_cast<std::uintptr_t>(own) % bytes != 0) fail_misaligned(own, bytes, "store_async");
  note_write(target, bytes);
  note_read(barrier, sizeof(std::uint64_t));
  ignore_races scope(*self.on);
  race_release(race_object_of(barrier, mbarrier_of(self, "store_async", where, barrier).phase));
  async_copy copy;
  copy.kind = copy_kind::remote_store;
  copy.issuer = &self;
  copy.block = &self.owner->cluster().blocks[rank];
  copy.target = target;
  copy.bytes = bytes;
  copy.barrier = barrier;
  copy.where = where;
  copy.source = value;
  this_async_copies().issue_value(copy);
}

inline void commit_copies(copy_kind kind) {
  const thread_state& self = current_thread();
  ignore_races scope(*self.on);
  this_async_copies().commit(self, kind);
}

inline void wait_for_copies(copy_kind kind, unsigned most_pending, bool read_only) {
  const thread_state& self = current_thread();
  ignore_races scope(*self.on);
  this_async_copies().wait(self, kind, most_pending, read_only);
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

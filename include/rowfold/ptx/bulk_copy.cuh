// SPDX-License-Identifier: MIT
// Copies of many bytes between global and the block's shared memory, each by one instruction of one thread.
//
// A load completes on an mbarrier: the thread that issues it has arrived there with arrive_expect_bytes, and whoever
// waits for the phase sees the bytes. Stores belong to groups of their thread, as in async_copy.cuh. Addresses and
// sizes are multiples of 16 bytes; the CPU back end says so where one is not. Needs sm_90 (see ptx/mbarrier.cuh: traps
// below).
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/mbarrier.cuh"
#include "rowfold/simt/site.hpp"
#if !defined(__CUDACC__)
#include "rowfold/cpu/async_operations.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace ptx {

// `bytes` bytes from `global` to `shared`; they count on `barrier`, of the same block, as they come. Ordinary reads of
// `shared` by others must have been ordered before (an mbarrier or sync_block does).
ROWFOLD_DEVICE void bulk_load(void* shared, const void* global, unsigned bytes, mbarrier& barrier,
                              simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
  (void)where;
  if constexpr (has_async_copies) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(shared)),
                 "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(&barrier))
                 : "memory");
  } else {
    __trap();
  }
#else
  cpu::issue_load(cpu::copy_kind::bulk_load, shared, global, bytes, &barrier, where);
#endif
}

// `bytes` bytes from `shared` to `global`. Ordinary writes of `shared` need fence_async_shared by their threads, and a
// barrier, before it.
ROWFOLD_DEVICE void bulk_store(void* global, const void* shared, unsigned bytes,
                               simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
  (void)where;
  if constexpr (has_async_copies) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(global)),
                 "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
  } else {
    __trap();
  }
#else
  cpu::issue_bulk_store(global, shared, bytes, where);
#endif
}

// The calling thread's bulk stores since its last commit become a group; none make an empty one.
ROWFOLD_DEVICE void commit_bulk_stores() {
#if defined(__CUDACC__)
  if constexpr (has_async_copies) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  } else {
    __trap();
  }
#else
  cpu::commit_copies(cpu::copy_kind::bulk_store);
#endif
}

// Waits until all groups of the calling thread but the newest MostPending have read their shared memory: it may be
// written again, and the block may end.
template <int MostPending>
ROWFOLD_DEVICE void wait_bulk_stores_read() {
  static_assert(MostPending >= 0, "a number of groups");
#if defined(__CUDACC__)
  if constexpr (has_async_copies) {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(MostPending) : "memory");
  } else {
    __trap();
  }
#else
  cpu::wait_for_copies(cpu::copy_kind::bulk_store, MostPending, true);
#endif
}

// Waits until all groups of the calling thread but the newest MostPending have written global memory.
template <int MostPending>
ROWFOLD_DEVICE void wait_bulk_stores() {
  static_assert(MostPending >= 0, "a number of groups");
#if defined(__CUDACC__)
  if constexpr (has_async_copies) {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(MostPending) : "memory");
  } else {
    __trap();
  }
#else
  cpu::wait_for_copies(cpu::copy_kind::bulk_store, MostPending, false);
#endif
}

}  // namespace ptx
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// store_async: a value of 4, 8 or 16 bytes to another block's shared memory; it counts on an mbarrier there.
//
// The receiving block arrives at that mbarrier with arrive_expect_bytes for all it will get, and waits with
// wait_scope::cluster; the sender waits for nothing. The launch must be in clusters of at least two blocks: without,
// the H200 reports an illegal instruction, and the CPU back end says so. Needs sm_90 (see ptx/mbarrier.cuh: traps
// below).
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/mbarrier.cuh"
#include "rowfold/simt/site.hpp"
#if defined(__CUDACC__)
#include "rowfold/ptx/global_memory.cuh"
#else
#include "rowfold/cpu/async_operations.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace ptx {

#if defined(__CUDACC__)
namespace detail {
// Both addresses are of the caller's block; mapa gives those of block `rank`.
ROWFOLD_DEVICE void store_words(unsigned target, unsigned barrier, unsigned rank, const raw_bytes<4>& value) {
  asm volatile(
      "{.reg .b32 t, b; mapa.shared::cluster.u32 t, %0, %2; mapa.shared::cluster.u32 b, %1, %2;"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [t], %3, [b];}" ::"r"(target),
      "r"(barrier), "r"(rank), "r"(value.word[0])
      : "memory");
}
ROWFOLD_DEVICE void store_words(unsigned target, unsigned barrier, unsigned rank, const raw_bytes<8>& value) {
  asm volatile(
      "{.reg .b32 t, b; mapa.shared::cluster.u32 t, %0, %2; mapa.shared::cluster.u32 b, %1, %2;"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [t], {%3,%4}, [b];}" ::"r"(target),
      "r"(barrier), "r"(rank), "r"(value.word[0]), "r"(value.word[1])
      : "memory");
}
ROWFOLD_DEVICE void store_words(unsigned target, unsigned barrier, unsigned rank, const raw_bytes<16>& value) {
  asm volatile(
      "{.reg .b32 t, b; mapa.shared::cluster.u32 t, %0, %2; mapa.shared::cluster.u32 b, %1, %2;"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [t], {%3,%4,%5,%6}, [b];}" ::"r"(target),
      "r"(barrier), "r"(rank), "r"(value.word[0]), "r"(value.word[1]), "r"(value.word[2]), "r"(value.word[3])
      : "memory");
}
}  // namespace detail
#endif

// Stores `value` where *own lies (a multiple of its size) and counts its bytes on the mbarrier that lies where
// own_barrier lies, both in the shared memory of block `rank` of the cluster, perhaps the caller's. That block must not
// end before it has waited for the bytes.
template <class T>
ROWFOLD_DEVICE void store_async(T* own, const T& value, mbarrier& own_barrier, unsigned rank,
                                simt::site where = simt::site::here()) {
  static_assert(__is_trivially_copyable(T), "a store copies bytes");
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16, "store_async moves 4, 8 or 16 bytes");
#if defined(__CUDACC__)
  (void)where;
  if constexpr (has_async_copies) {
    raw_bytes<static_cast<int>(sizeof(T))> words;
    memcpy(&words, &value, sizeof(T));
    detail::store_words(shared_address(own), shared_address(&own_barrier), rank, words);
  } else {
    __trap();
  }
#else
  cpu::issue_remote_store(own, &value, sizeof(T), &own_barrier, rank, where);
#endif
}

}  // namespace ptx
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Copies of 4, 8 or 16 bytes from global to shared memory that go on while their thread does other things, in groups.
//
// A thread issues copies, commits them as a group, and later waits until at most N of its newest groups are still on
// their way; it then sees its own copies, and others see them after a barrier that follows the wait. Each thread's
// groups are its own. Below sm_80 each copy is made at once, and commit and wait do nothing.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/simt/site.hpp"
#if defined(__CUDACC__)
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/ptx/mbarrier.cuh"
#else
#include "rowfold/cpu/async_operations.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace ptx {

#if !defined(__CUDACC__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)
constexpr bool has_copy_groups = true;
#else
constexpr bool has_copy_groups = false;
#endif

// Bytes bytes (4, 8 or 16) from `global` to `shared`, in the block's own shared memory; both multiples of that. 16
// bytes go past L1.
template <int Bytes>
ROWFOLD_DEVICE void copy_async(void* shared, const void* global, simt::site where = simt::site::here()) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "an asynchronous copy moves 4, 8 or 16 bytes");
#if defined(__CUDACC__)
  (void)where;
  if constexpr (!has_copy_groups) {
    *static_cast<raw_bytes<Bytes>*>(shared) = load_global<Bytes, load_hint::coherent>(global);
  } else if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)),
                 "l"(__cvta_generic_to_global(global))
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(shared)),
                 "l"(__cvta_generic_to_global(global)), "n"(Bytes)
                 : "memory");
  }
#else
  cpu::issue_load(cpu::copy_kind::group_load, shared, global, Bytes, nullptr, where);
#endif
}

// The calling thread's copies since its last commit become a group; none make an empty one.
ROWFOLD_DEVICE void commit_copies() {
#if defined(__CUDACC__)
  if constexpr (has_copy_groups) asm volatile("cp.async.commit_group;" ::: "memory");
#else
  cpu::commit_copies(cpu::copy_kind::group_load);
#endif
}

// Waits until all groups of the calling thread but the newest MostPending are there. Copies that were not committed are
// not waited for.
template <int MostPending>
ROWFOLD_DEVICE void wait_copies() {
  static_assert(MostPending >= 0, "a number of groups");
#if defined(__CUDACC__)
  if constexpr (has_copy_groups) asm volatile("cp.async.wait_group %0;" ::"n"(MostPending) : "memory");
#else
  cpu::wait_for_copies(cpu::copy_kind::group_load, MostPending, false);
#endif
}

}  // namespace ptx
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

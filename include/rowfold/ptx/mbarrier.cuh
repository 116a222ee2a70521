// SPDX-License-Identifier: MIT
// ptx::mbarrier: a barrier in shared memory that counts arrivals of threads and bytes of asynchronous copies.
//
// It lives in the layout struct of simt::shared. One thread calls init; then fence_mbarrier_init, if blocks of a
// cluster or asynchronous copies use it, and a barrier of all who do. A phase is over when `count` arrivals and all
// bytes that arrivals expected have come; the next phase begins at once. Phases have the parities 0, 1, 0, ...: who
// waits for the k-th phase (from 0) waits for parity k % 2. Waiting for parity 1 on a new mbarrier returns at once,
// which lets the first round of a ring find its stages empty.
//
// Needs sm_90: on older architectures every function traps, and `has_async_copies` lets a kernel choose another way at
// compile time. Trapping and no compile error, so that one fat binary may hold a kernel whose plan is never made there.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/simt/site.hpp"
#if !defined(__CUDACC__)
#include "rowfold/cpu/mbarrier.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace ptx {

// Whether this compilation's architecture has mbarriers with byte counts, bulk copies, and stores to other blocks.
#if !defined(__CUDACC__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
constexpr bool has_async_copies = true;
#else
constexpr bool has_async_copies = false;
#endif

#if defined(__CUDACC__)
// What the instructions take as the address of an object in the block's shared memory.
ROWFOLD_DEVICE unsigned shared_address(const void* object) {
  return static_cast<unsigned>(__cvta_generic_to_shared(object));
}
#endif

// Whose writes a wait makes visible: those of threads of the same block and of its copies, or of the whole cluster (for
// arrive_at and store_async).
enum class wait_scope { block, cluster };

class mbarrier {
 public:
  // One thread of the block, before anybody uses it. count: arrivals of each phase, 1 to 2^20 - 1.
  ROWFOLD_DEVICE void init(unsigned count, simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
    (void)where;
    if constexpr (has_async_copies) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(count) : "memory");
    } else {
      __trap();
    }
#else
    cpu::mbarrier_init(this, count, where);
#endif
  }

  // One thread of the block, when nobody uses it any more and its 8 bytes are to hold something else.
  ROWFOLD_DEVICE void inval(simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
    (void)where;
    if constexpr (has_async_copies) {
      asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(this)) : "memory");
    } else {
      __trap();
    }
#else
    cpu::mbarrier_inval(this, where);
#endif
  }

  // The calling thread arrives: its accesses so far come before those of whoever waits for this phase.
  ROWFOLD_DEVICE void arrive(simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
    (void)where;
    if constexpr (has_async_copies) {
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
    } else {
      __trap();
    }
#else
    cpu::mbarrier_arrive(this, 0, "arrive", where);
#endif
  }

  // Arrives, and has the phase wait for `bytes` more bytes of asynchronous copies (up to 2^20 - 1 in all).
  ROWFOLD_DEVICE void arrive_expect_bytes(unsigned bytes, simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
    (void)where;
    if constexpr (has_async_copies) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                   : "memory");
    } else {
      __trap();
    }
#else
    cpu::mbarrier_arrive(this, bytes, "arrive_expect_bytes", where);
#endif
  }

  // Arrives at the mbarrier of block `rank` of the cluster that lies where this one lies in the caller's block. That
  // block waits with wait_scope::cluster, and must not have ended.
  ROWFOLD_DEVICE void arrive_at(unsigned rank, simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
    (void)where;
    if constexpr (has_async_copies) {
      asm volatile(
          "{.reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;"
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];}" ::"r"(shared_address(this)),
          "r"(rank)
          : "memory");
    } else {
      __trap();
    }
#else
    cpu::mbarrier_arrive_at(this, rank, where);
#endif
  }

  // Whether the phase of this parity (0 or 1) is over; may sleep a while before it says no. Any thread of the block.
  template <wait_scope Scope = wait_scope::block>
  ROWFOLD_DEVICE bool try_wait(unsigned parity, simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
    (void)where;
    unsigned over = 0;
    if constexpr (!has_async_copies) {
      __trap();
    } else if constexpr (Scope == wait_scope::block) {
      asm volatile(
          "{.reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
          : "=r"(over)
          : "r"(shared_address(this)), "r"(parity)
          : "memory");
    } else {
      asm volatile(
          "{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
          : "=r"(over)
          : "r"(shared_address(this)), "r"(parity)
          : "memory");
    }
    return over != 0;
#else
    return cpu::mbarrier_try_wait(this, parity, where);
#endif
  }

  // Waits until the phase of this parity is over. On the CPU back end the thread sleeps, and a wait that can never end
  // fails the launch with its line.
  template <wait_scope Scope = wait_scope::block>
  ROWFOLD_DEVICE void wait(unsigned parity, simt::site where = simt::site::here()) {
#if defined(__CUDACC__)
    while (!try_wait<Scope>(parity, where)) {
    }
#else
    cpu::mbarrier_wait(this, parity, where);
#endif
  }

 private:
  alignas(8) unsigned long long state_;
};
static_assert(sizeof(mbarrier) == 8, "the hardware's size");

// By the thread that has called init, after it and before the barrier after which others use the mbarriers: other
// blocks and asynchronous copies will see them initialised.
ROWFOLD_DEVICE void fence_mbarrier_init() {
#if defined(__CUDACC__)
  if constexpr (has_async_copies) {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  } else {
    __trap();
  }
#endif
}

// Orders the calling thread's ordinary accesses to shared memory before later asynchronous copies of the same bytes: a
// thread calls it after it has written what a bulk store will read, before the barrier that comes before the store. The
// CPU back end keeps that order anyway and cannot tell that the fence is missing.
ROWFOLD_DEVICE void fence_async_shared() {
#if defined(__CUDACC__)
  if constexpr (has_async_copies) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  } else {
    __trap();
  }
#endif
}

}  // namespace ptx
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

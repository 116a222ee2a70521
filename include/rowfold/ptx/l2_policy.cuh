// SPDX-License-Identifier: MIT
// Coherent loads of global memory with an L2 eviction priority that is known at run time: the policy is an operand of
// the load, so that one kernel serves both. Any thread may call them on its own. Before sm_80, and on the CPU back end,
// loads take no notice of it.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/conditional_load.cuh"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/ptx/guarded_access.cuh"
#include "rowfold/ptx/l2_priority.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr bool has_l2_policies = true;
#else
constexpr bool has_l2_policies = false;
#endif

// What a load takes.
struct l2_policy {
  unsigned long long bits;
};

// What PTX's createpolicy makes of all of a tensor, as libcu++ gives it for sm_80 and later (cuda::access_property:
// normal and persisting). Made by createpolicy it would cost each thread a dozen instructions. A test of the GPU back
// end compares.
inline constexpr unsigned long long l2_evict_normal = 0x16f0000000000000ull;
inline constexpr unsigned long long l2_evict_last = 0x14f0000000000000ull;

ROWFOLD_DEVICE l2_policy make_l2_policy(l2_priority priority) {
  return {priority == l2_priority::evict_last ? l2_evict_last : l2_evict_normal};
}

// As load_global, load_global_if and load_or_zero (the other headers of this folder). The policy counts for accesses of
// 4 bytes and more.
template <int Bytes, load_hint Hint>
ROWFOLD_DEVICE raw_bytes<Bytes> load_global(const void* address, l2_policy policy) {
#if defined(__CUDACC__)
  if constexpr (has_l2_policies && Bytes >= 4 && Hint == load_hint::coherent) {
    raw_bytes<Bytes> r;
    if constexpr (Bytes == 16) {
      asm volatile("ld.global.L2::cache_hint.v4.u32 {%0,%1,%2,%3}, [%4], %5;"
                   : "=r"(r.word[0]), "=r"(r.word[1]), "=r"(r.word[2]), "=r"(r.word[3])
                   : "l"(address), "l"(policy.bits));
    } else if constexpr (Bytes == 8) {
      asm volatile("ld.global.L2::cache_hint.v2.u32 {%0,%1}, [%2], %3;"
                   : "=r"(r.word[0]), "=r"(r.word[1])
                   : "l"(address), "l"(policy.bits));
    } else {
      asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(r.word[0]) : "l"(address), "l"(policy.bits));
    }
    return r;
  } else {
    return load_global<Bytes, Hint>(address);
  }
#else
  (void)policy;
  return load_global<Bytes, Hint>(address);
#endif
}

template <int Bytes, load_hint Hint>
ROWFOLD_DEVICE raw_bytes<Bytes> load_global_if(const void* address, bool condition, l2_policy policy) {
#if defined(__CUDACC__)
  if constexpr (has_l2_policies && Bytes == 16 && Hint == load_hint::coherent) {
    raw_bytes<16> r;
    const unsigned wanted = condition;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.L2::cache_hint.v4.u32 {%0,%1,%2,%3}, [%4], %6;}"
                 : "=r"(r.word[0]), "=r"(r.word[1]), "=r"(r.word[2]), "=r"(r.word[3])
                 : "l"(address), "r"(wanted), "l"(policy.bits));
    return r;
  } else {
    raw_bytes<Bytes> nothing{};
    return condition ? load_global<Bytes, Hint>(address, policy) : nothing;
  }
#else
  (void)policy;
  return load_global_if<Bytes, Hint>(address, condition);
#endif
}

// The policy counts for 16 bytes.
template <int Bytes>
ROWFOLD_DEVICE raw_bytes<Bytes> load_or_zero(const void* address, bool condition, l2_policy policy) {
#if defined(__CUDACC__)
  if constexpr (has_l2_policies && Bytes == 16) {
    raw_bytes<16> r;
    const unsigned wanted = condition;
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %5, 0; mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0; mov.u32 %3, 0;"
        "@p ld.global.L2::cache_hint.v4.u32 {%0,%1,%2,%3}, [%4], %6;}"
        : "=&r"(r.word[0]), "=&r"(r.word[1]), "=&r"(r.word[2]), "=&r"(r.word[3])
        : "l"(address), "r"(wanted), "l"(policy.bits));
    return r;
  } else {
    return load_or_zero<Bytes>(address, condition);
  }
#else
  (void)policy;
  return load_or_zero<Bytes>(address, condition);
#endif
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

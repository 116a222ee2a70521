// SPDX-License-Identifier: MIT
// Loads and stores of 4, 8 or 16 bytes of the block's own shared memory in one access each. Any thread may call them on
// its own; the address must be a multiple of the size. (The compiler takes a struct copy apart into words, which
// neighbouring lanes 16 bytes apart then fetch with four-way bank conflicts.)
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/global_memory.cuh"
#if defined(__CUDACC__)
#include "rowfold/ptx/mbarrier.cuh"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

template <int Bytes>
ROWFOLD_DEVICE raw_bytes<Bytes> load_shared(const void* address) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "one access moves 4, 8 or 16 bytes");
  raw_bytes<Bytes> r;
#if defined(__CUDACC__)
  // Volatile: after the barrier that orders what is read, and before the one that lets it be replaced.
  const unsigned at = ptx::shared_address(address);
  if constexpr (Bytes == 16) {
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.word[0]), "=r"(r.word[1]), "=r"(r.word[2]), "=r"(r.word[3])
                 : "r"(at)
                 : "memory");
  } else if constexpr (Bytes == 8) {
    asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(r.word[0]), "=r"(r.word[1]) : "r"(at) : "memory");
  } else {
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r.word[0]) : "r"(at) : "memory");
  }
#else
  cpu::require_aligned(address, Bytes, "load");
  std::memcpy(&r, address, Bytes);
#endif
  return r;
}

template <int Bytes>
ROWFOLD_DEVICE void store_shared(void* address, const raw_bytes<Bytes>& value) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "one access moves 4, 8 or 16 bytes");
#if defined(__CUDACC__)
  const unsigned at = ptx::shared_address(address);
  if constexpr (Bytes == 16) {
    asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(value.word[0]), "r"(value.word[1]),
                 "r"(value.word[2]), "r"(value.word[3])
                 : "memory");
  } else if constexpr (Bytes == 8) {
    asm volatile("st.shared.v2.u32 [%0], {%1,%2};" ::"r"(at), "r"(value.word[0]), "r"(value.word[1]) : "memory");
  } else {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(value.word[0]) : "memory");
  }
#else
  cpu::require_aligned(address, Bytes, "store");
  std::memcpy(address, &value, Bytes);
#endif
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

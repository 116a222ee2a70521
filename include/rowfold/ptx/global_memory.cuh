// SPDX-License-Identifier: MIT
// Loads and stores of 1, 2, 4, 8 or 16 bytes of global memory with a cache hint: with conditional_load.cuh,
// guarded_access.cuh and l2_policy.cuh the only place where the library's kernels touch global memory. Any thread may
// call them on its own; the address must be a multiple of the size. On the CPU back end each access is checked for
// alignment, counted per tensor, and then copied.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/simt/backend.hpp"
#if !defined(__CUDACC__)
#include <cstring>

#include "rowfold/cpu/traffic.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// How a load meets the caches.
//   coherent  : sees what this thread stored before, as rows that are written in place need
//   read_only : nobody writes it while the kernel runs (parameters that every row reads again)
// Both may stay in L1. Keeping rows out of it (L1::no_allocate) was 2 to 4 % slower on an H200, also for rows read
// once.
enum class load_hint { coherent, read_only };

// How a store meets the caches.
//   write_back : ordinary; the next kernel may find it in L2
//   streaming  : first to leave L2 (evict-first); for outputs larger than L2
enum class store_hint { write_back, streaming };

// `Bytes` raw bytes, aligned to their size: what one access moves.
template <int Bytes>
struct alignas(Bytes) raw_bytes {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "one access moves 1, 2, 4, 8 or 16 bytes");
  unsigned word[Bytes / 4];
};
template <>
struct raw_bytes<1> {
  unsigned char byte;
};
template <>
struct raw_bytes<2> {
  unsigned short half_word;
};

#if defined(__CUDACC__)

namespace detail {

// The volatile keeps a coherent load after the store of the same thread that it has to see. Read-only loads are CUDA's
// own and volatile, too: assembly without volatile the compiler takes for arithmetic, which it may do where no branch
// has asked for it, so that a load would be issued past the end of a tensor or of a null pointer. The one that is
// free to move is predicated (load_16_if in conditional_load.cuh).
template <load_hint Hint>
ROWFOLD_DEVICE raw_bytes<16> load_16(const void* address) {
  raw_bytes<16> r;
  if constexpr (Hint == load_hint::coherent) {
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r.word[0]), "=r"(r.word[1]), "=r"(r.word[2]), "=r"(r.word[3])
                 : "l"(address));
  } else {
    const uint4 words = __ldg(static_cast<const uint4*>(address));
    r = {{words.x, words.y, words.z, words.w}};
  }
  return r;
}

template <load_hint Hint>
ROWFOLD_DEVICE raw_bytes<8> load_8(const void* address) {
  raw_bytes<8> r;
  if constexpr (Hint == load_hint::coherent) {
    asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(r.word[0]), "=r"(r.word[1]) : "l"(address));
  } else {
    const uint2 words = __ldg(static_cast<const uint2*>(address));
    r = {{words.x, words.y}};
  }
  return r;
}

template <load_hint Hint>
ROWFOLD_DEVICE raw_bytes<4> load_4(const void* address) {
  raw_bytes<4> r;
  if constexpr (Hint == load_hint::read_only) {
    r.word[0] = __ldg(static_cast<const unsigned*>(address));
  } else {
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(r.word[0]) : "l"(address));
  }
  return r;
}

template <load_hint Hint>
ROWFOLD_DEVICE raw_bytes<2> load_2(const void* address) {
  raw_bytes<2> r;
  if constexpr (Hint == load_hint::read_only) {
    r.half_word = __ldg(static_cast<const unsigned short*>(address));
  } else {
    asm volatile("ld.global.u16 %0, [%1];" : "=h"(r.half_word) : "l"(address));
  }
  return r;
}

template <load_hint Hint>
ROWFOLD_DEVICE raw_bytes<1> load_1(const void* address) {
  if constexpr (Hint == load_hint::read_only) {
    return raw_bytes<1>{__ldg(static_cast<const unsigned char*>(address))};
  } else {
    unsigned value;
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(value) : "l"(address));
    return raw_bytes<1>{static_cast<unsigned char>(value)};
  }
}

}  // namespace detail

// Loads Bytes bytes of global memory at `address`.
template <int Bytes, load_hint Hint>
ROWFOLD_DEVICE raw_bytes<Bytes> load_global(const void* address) {
  if constexpr (Bytes == 16) {
    return detail::load_16<Hint>(address);
  } else if constexpr (Bytes == 8) {
    return detail::load_8<Hint>(address);
  } else if constexpr (Bytes == 4) {
    return detail::load_4<Hint>(address);
  } else if constexpr (Bytes == 2) {
    return detail::load_2<Hint>(address);
  } else {
    return detail::load_1<Hint>(address);
  }
}

// Has the memory at `address`, which must be the caller's to read, brought into L2: a load some time later finds it
// there.
ROWFOLD_DEVICE void prefetch_global(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }

// Stores Bytes bytes to global memory at `address`. Every store is volatile: see the coherent load.
template <int Bytes, store_hint Hint>
ROWFOLD_DEVICE void store_global(void* address, const raw_bytes<Bytes>& value) {
  if constexpr (Bytes == 16 && Hint == store_hint::streaming) {
    asm volatile("st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(address), "r"(value.word[0]), "r"(value.word[1]),
                 "r"(value.word[2]), "r"(value.word[3]));
  } else if constexpr (Bytes == 16) {
    asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(address), "r"(value.word[0]), "r"(value.word[1]),
                 "r"(value.word[2]), "r"(value.word[3]));
  } else if constexpr (Bytes == 8 && Hint == store_hint::streaming) {
    asm volatile("st.global.cs.v2.u32 [%0], {%1,%2};" ::"l"(address), "r"(value.word[0]), "r"(value.word[1]));
  } else if constexpr (Bytes == 8) {
    asm volatile("st.global.v2.u32 [%0], {%1,%2};" ::"l"(address), "r"(value.word[0]), "r"(value.word[1]));
  } else if constexpr (Bytes == 4) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(value.word[0]));
  } else if constexpr (Bytes == 2) {
    asm volatile("st.global.u16 [%0], %1;" ::"l"(address), "h"(value.half_word));
  } else {
    asm volatile("st.global.u8 [%0], %1;" ::"l"(address), "r"(static_cast<unsigned>(value.byte)));
  }
}

#else

template <int Bytes, load_hint>
inline raw_bytes<Bytes> load_global(const void* address) {
  cpu::require_aligned(address, Bytes, "load");
  cpu::count_load(address, Bytes);
  raw_bytes<Bytes> value;
  std::memcpy(&value, address, Bytes);
  return value;
}

inline void prefetch_global(const void*) {}

template <int Bytes, store_hint>
inline void store_global(void* address, const raw_bytes<Bytes>& value) {
  cpu::require_aligned(address, Bytes, "store");
  cpu::count_store(address, Bytes);
  std::memcpy(address, &value, Bytes);
}

#endif

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

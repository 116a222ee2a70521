// SPDX-License-Identifier: MIT
// Loads of global memory that happen or not: predicated instructions and no branch, so that the compiler can issue all of
// a thread's loads one right behind the other. Any thread may call them on its own; an address that is not loaded may be
// anything. On the CPU back end each access is checked, counted and copied as in global_memory.cuh.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

// 16 bytes where `condition` holds; elsewhere unspecified bits.
template <load_hint Hint>
ROWFOLD_DEVICE raw_bytes<16> load_16_if(const void* address, bool condition) {
#if defined(__CUDACC__)
  raw_bytes<16> r;
  const unsigned wanted = condition;
  if constexpr (Hint == load_hint::read_only) {
    asm("{.reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];}"
        : "=r"(r.word[0]), "=r"(r.word[1]), "=r"(r.word[2]), "=r"(r.word[3])
        : "l"(address), "r"(wanted));
  } else {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.v4.u32 {%0,%1,%2,%3}, [%4];}"
                 : "=r"(r.word[0]), "=r"(r.word[1]), "=r"(r.word[2]), "=r"(r.word[3])
                 : "l"(address), "r"(wanted));
  }
  return r;
#else
  raw_bytes<16> nothing{};
  return condition ? load_global<16, Hint>(address) : nothing;
#endif
}

}  // namespace detail

// Loads Bytes bytes where `condition` holds; elsewhere nothing is read and the result is unspecified bits. Not for loops:
// registers that an iteration does not always write would have to live through all of it.
template <int Bytes, load_hint Hint>
ROWFOLD_DEVICE raw_bytes<Bytes> load_global_if(const void* address, bool condition) {
  if constexpr (Bytes == 16) {
    return detail::load_16_if<Hint>(address, condition);
  } else {
    raw_bytes<Bytes> nothing{};
    return condition ? load_global<Bytes, Hint>(address) : nothing;
  }
}

// Four words at `address`: in one access where `as_vector` holds (the address is then a multiple of 16), word by word
// where `as_words` holds (a multiple of 4). At most one of them may hold; elsewhere nothing is read and the result is
// zero. Coherent; the words may stay in L1, where the next access finds them.
ROWFOLD_DEVICE raw_bytes<16> load_four_words_if(const void* address, bool as_vector, bool as_words) {
#if defined(__CUDACC__)
  raw_bytes<16> r;
  asm volatile(
      "{.reg .pred v, w; setp.ne.u32 v, %5, 0; setp.ne.u32 w, %6, 0;"
      "mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0; mov.u32 %3, 0;"
      "@v ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
      "@w ld.global.u32 %0, [%4]; @w ld.global.u32 %1, [%4+4];"
      "@w ld.global.u32 %2, [%4+8]; @w ld.global.u32 %3, [%4+12];}"
      : "=&r"(r.word[0]), "=&r"(r.word[1]), "=&r"(r.word[2]), "=&r"(r.word[3])
      : "l"(address), "r"(static_cast<unsigned>(as_vector)), "r"(static_cast<unsigned>(as_words)));
  return r;
#else
  raw_bytes<16> r{};
  if (as_vector) return load_global<16, load_hint::coherent>(address);
  for (int i = 0; as_words && i < 4; ++i) {
    r.word[i] = load_global<4, load_hint::coherent>(static_cast<const unsigned char*>(address) + 4 * i).word[0];
  }
  return r;
#endif
}

// One word at `address` where `condition` holds, else zero. Coherent; may stay in L1.
ROWFOLD_DEVICE unsigned load_word_if(const void* address, bool condition) {
#if defined(__CUDACC__)
  unsigned word;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; mov.u32 %0, 0; @p ld.global.u32 %0, [%1];}"
               : "=&r"(word)
               : "l"(address), "r"(static_cast<unsigned>(condition)));
  return word;
#else
  return condition ? load_global<4, load_hint::coherent>(address).word[0] : 0u;
#endif
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Loads and stores of global memory, of 1, 2, 4, 8 or 16 bytes, that happen or not: single predicated instructions
// without a branch, so that a thread's accesses can be issued one right after the other. Any thread may call them on
// its own; the address of an access that does not happen may be anything. On the CPU back end each access that happens
// is checked, counted and copied as in global_memory.cuh.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// The Bytes bytes at `address` where `condition` holds, else zero. Coherent.
template <int Bytes>
ROWFOLD_DEVICE raw_bytes<Bytes> load_or_zero(const void* address, bool condition) {
#if defined(__CUDACC__)
  raw_bytes<Bytes> r;
  const unsigned wanted = condition;
  if constexpr (Bytes == 16) {
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %5, 0; mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0; mov.u32 %3, 0;"
        "@p ld.global.v4.u32 {%0,%1,%2,%3}, [%4];}"
        : "=&r"(r.word[0]), "=&r"(r.word[1]), "=&r"(r.word[2]), "=&r"(r.word[3])
        : "l"(address), "r"(wanted));
  } else if constexpr (Bytes == 8) {
    asm volatile(
        "{.reg .pred p; setp.ne.u32 p, %3, 0; mov.u32 %0, 0; mov.u32 %1, 0; @p ld.global.v2.u32 {%0,%1}, [%2];}"
        : "=&r"(r.word[0]), "=&r"(r.word[1])
        : "l"(address), "r"(wanted));
  } else if constexpr (Bytes == 4) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; mov.u32 %0, 0; @p ld.global.u32 %0, [%1];}"
                 : "=&r"(r.word[0])
                 : "l"(address), "r"(wanted));
  } else if constexpr (Bytes == 2) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; mov.u16 %0, 0; @p ld.global.u16 %0, [%1];}"
                 : "=&h"(r.half_word)
                 : "l"(address), "r"(wanted));
  } else {
    unsigned value;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; mov.u32 %0, 0; @p ld.global.u8 %0, [%1];}"
                 : "=&r"(value)
                 : "l"(address), "r"(wanted));
    r.byte = static_cast<unsigned char>(value);
  }
  return r;
#else
  const raw_bytes<Bytes> nothing{};
  return condition ? load_global<Bytes, load_hint::coherent>(address) : nothing;
#endif
}

// Stores `value` at `address` where `condition` holds.
template <int Bytes>
ROWFOLD_DEVICE void store_if(void* address, const raw_bytes<Bytes>& value, bool condition) {
#if defined(__CUDACC__)
  const unsigned wanted = condition;
  if constexpr (Bytes == 16) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p st.global.v4.u32 [%0], {%1,%2,%3,%4};}" ::"l"(address),
                 "r"(value.word[0]), "r"(value.word[1]), "r"(value.word[2]), "r"(value.word[3]), "r"(wanted));
  } else if constexpr (Bytes == 8) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; @p st.global.v2.u32 [%0], {%1,%2};}" ::"l"(address),
                 "r"(value.word[0]), "r"(value.word[1]), "r"(wanted));
  } else if constexpr (Bytes == 4) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u32 [%0], %1;}" ::"l"(address), "r"(value.word[0]),
                 "r"(wanted));
  } else if constexpr (Bytes == 2) {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u16 [%0], %1;}" ::"l"(address),
                 "h"(value.half_word), "r"(wanted));
  } else {
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u8 [%0], %1;}" ::"l"(address),
                 "r"(static_cast<unsigned>(value.byte)), "r"(wanted));
  }
#else
  if (condition) store_global<Bytes, store_hint::write_back>(address, value);
#endif
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Loads of global memory that happen or not: predicated instructions and no branch, so that the compiler can issue all
// of a thread's loads one right after the other. Any thread may call them on its own; an address that is not loaded
// may be anything. On the CPU back end each access is checked, counted and copied as in global_memory.cuh.
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

// Loads Bytes bytes where `condition` holds; elsewhere nothing is read and the result is unspecified bits. In a loop
// its registers live through all iterations, since not every one writes them.
template <int Bytes, load_hint Hint>
ROWFOLD_DEVICE raw_bytes<Bytes> load_global_if(const void* address, bool condition) {
  if constexpr (Bytes == 16) {
    return detail::load_16_if<Hint>(address, condition);
  } else {
    raw_bytes<Bytes> nothing{};
    return condition ? load_global<Bytes, Hint>(address) : nothing;
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

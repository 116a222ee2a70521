// SPDX-License-Identifier: MIT
// transposed_vector: a small square of elements turned over inside a thread's registers. Any thread may call it on its
// own values.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/global_memory.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

// Four of the eight bytes of (low, high): the nibbles of `selector`, lowest first, say which (0 to 7).
ROWFOLD_DEVICE unsigned permute_bytes(unsigned low, unsigned high, unsigned selector) {
#if defined(__CUDACC__)
  return __byte_perm(low, high, selector);
#else
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned byte = static_cast<unsigned>(both >> ((selector >> 4 * i & 7u) * 8)) & 0xffu;
    result |= byte << 8 * i;
  }
  return result;
#endif
}

// Selectors: the lower, or the higher, halves of two words.
inline constexpr unsigned low_halves = 0x5410u;
inline constexpr unsigned high_halves = 0x7632u;

}  // namespace detail

// Column `column` of a square of elements of ElementBytes bytes, whose rows are 16 bytes each. `column` is known at
// compile time (an unrolled loop). 4- and 8-byte elements need no instruction, 2-byte elements half a one each; so do
// 1-byte elements where neighbouring columns are asked for, since columns share the first step.
template <int ElementBytes>
ROWFOLD_DEVICE raw_bytes<16> transposed_vector(const unsigned (&row)[16 / ElementBytes][4], int column) {
  raw_bytes<16> result;
  ROWFOLD_UNROLL
  for (int i = 0; i < 4; ++i) {
    if constexpr (ElementBytes == 8) {
      result.word[i] = row[i / 2][2 * column + i % 2];
    } else if constexpr (ElementBytes == 4) {
      result.word[i] = row[i][column];
    } else if constexpr (ElementBytes == 2) {
      const unsigned halves = column % 2 == 0 ? detail::low_halves : detail::high_halves;
      result.word[i] = detail::permute_bytes(row[2 * i][column / 2], row[2 * i + 1][column / 2], halves);
    } else {
      // Two columns of two rows, then one column of four.
      const unsigned pairs = column % 4 < 2 ? 0x5140u : 0x7362u;
      const unsigned first = detail::permute_bytes(row[4 * i][column / 4], row[4 * i + 1][column / 4], pairs);
      const unsigned second = detail::permute_bytes(row[4 * i + 2][column / 4], row[4 * i + 3][column / 4], pairs);
      result.word[i] = detail::permute_bytes(first, second, column % 2 == 0 ? detail::low_halves : detail::high_halves);
    }
  }
  return result;
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// packed<T, N>: N neighbouring elements of T as the 32-bit words that hold them, and their conversion to and from the
// type in which they are computed. Words, and not N elements of T: the compiler would keep each 16-bit element of an
// array by itself and spend an instruction on every one of them. Any thread may call these on its own values.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/convert.cuh"
#include "rowfold/ptx/global_memory.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

template <class T, int N>
struct packed {
  static constexpr int bytes = N * static_cast<int>(sizeof(T));
  static constexpr int words = (bytes + 3) / 4;
  unsigned word[words];
};

// The bits of element i, which the caller knows at compile time (an unrolled loop).
template <class T, int N>
ROWFOLD_DEVICE raw_bytes<sizeof(T)> element_bits(const packed<T, N>& p, int i) {
  if constexpr (sizeof(T) == 1) {
    return {static_cast<unsigned char>(p.word[i / 4] >> (i % 4 * 8))};
  } else if constexpr (sizeof(T) == 2) {
    return {static_cast<unsigned short>(p.word[i / 2] >> (i % 2 * 16))};
  } else if constexpr (sizeof(T) == 4) {
    return {{p.word[i]}};
  } else {
    return {{p.word[2 * i], p.word[2 * i + 1]}};
  }
}

// Puts the bits of element i where they belong; what was there must be zero.
template <class T, int N>
ROWFOLD_DEVICE void put_element(packed<T, N>& p, int i, const raw_bytes<sizeof(T)>& bits) {
  if constexpr (sizeof(T) == 1) {
    p.word[i / 4] |= static_cast<unsigned>(bits.byte) << (i % 4 * 8);
  } else if constexpr (sizeof(T) == 2) {
    p.word[i / 2] |= static_cast<unsigned>(bits.half_word) << (i % 2 * 16);
  } else if constexpr (sizeof(T) == 4) {
    p.word[i] = bits.word[0];
  } else {
    p.word[2 * i] = bits.word[0];
    p.word[2 * i + 1] = bits.word[1];
  }
}

// The elements in the type in which the library computes: exact.
template <class T, int N>
ROWFOLD_DEVICE vec<accumulate_t<T>, N> widen(const packed<T, N>& p) {
  vec<accumulate_t<T>, N> values;
  if constexpr (is_half_type<T> && N % 2 == 0) {
    ROWFOLD_UNROLL
    for (int i = 0; i < N / 2; ++i) {
      const float_pair both = to_accumulate(pair_bits<T>{p.word[i]});
      values[2 * i] = both.first;
      values[2 * i + 1] = both.second;
    }
  } else if constexpr (sizeof(T) == 1 && N % 4 == 0) {
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) values[i] = to_accumulate(quad_bits<T>{p.word[i / 4]}).value[i % 4];
  } else {
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) values[i] = to_accumulate(bit_copy<T>(element_bits(p, i)));
  }
  return values;
}

// Computed values (float or double) as elements of T, each rounded at most once, to nearest even. 8-bit elements are
// made of floats, and their type's own header (numeric/float8.cuh, numeric/int8.cuh) must be included.
template <class T, class From, int N>
ROWFOLD_DEVICE packed<T, N> narrow(const vec<From, N>& values) {
  packed<T, N> p{};
  if constexpr (is_half_type<T> && is_same<From, float> && N % 2 == 0) {
    ROWFOLD_UNROLL
    for (int i = 0; i < N / 2; ++i) p.word[i] = pair_from_accumulate<T>(values[2 * i], values[2 * i + 1]).word;
  } else if constexpr (sizeof(T) == 1) {
    static_assert(is_same<From, float>, "8-bit elements are computed in float");
    if constexpr (N % 4 == 0) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N / 4; ++i) {
        p.word[i] =
            quad_from_accumulate<T>({{values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]}}).word;
      }
    } else {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) put_element(p, i, bit_copy<raw_bytes<1>>(from_accumulate<T>(values[i])));
    }
  } else {
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) put_element(p, i, bit_copy<raw_bytes<sizeof(T)>>(convert<T>(values[i])));
  }
  return p;
}

// The values in another type in which the library computes.
template <class To, class From, int N>
ROWFOLD_DEVICE vec<To, N> convert_values(const vec<From, N>& values) {
  if constexpr (is_same<To, From>) {
    return values;
  } else {
    vec<To, N> converted;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) converted[i] = convert<To>(values[i]);
    return converted;
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

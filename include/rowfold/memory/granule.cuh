// SPDX-License-Identifier: MIT
// Moving one granule of a row between memory and registers: N consecutive columns, for any address of the row and any
// number of columns, without touching a byte outside [row, row + cols). Any thread may call these alone.
//
// A thread owns a granule whatever the address of the row is, so alignment never changes who folds what. A granule that
// is complete and aligned moves in accesses of up to 16 bytes, any other one element by element; memory/staging.cuh has
// the fast way for whole rows of such granules.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/packed.cuh"
#include "rowfold/ptx/conditional_load.cuh"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/ptx/l2_policy.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// What is known of every granule before the kernel runs.
enum class granule_access {
  full,   // aligned and complete
  whole,  // aligned, and complete or past the end of the row
  any,    // nothing
};

// The element of type T at `address`.
template <load_hint Hint, class T>
ROWFOLD_DEVICE T load_element(const T* address) {
  return bit_copy<T>(load_global<static_cast<int>(sizeof(T)), Hint>(address));
}

// Stores one element of type T at `address`.
template <store_hint Hint, class T>
ROWFOLD_DEVICE void store_element(T* address, const T& value) {
  store_global<static_cast<int>(sizeof(T)), Hint>(address, bit_copy<raw_bytes<static_cast<int>(sizeof(T))>>(value));
}

namespace detail {

template <class T, int N>
inline constexpr int granule_bytes = N* static_cast<int>(sizeof(T));

// What one access moves: the whole granule where it is small, else 16 bytes.
template <class T, int N>
inline constexpr int chunk_bytes = granule_bytes<T, N> < 16 ? granule_bytes<T, N> : 16;

// How far `address` lies past a multiple of `bytes`, a power of two.
template <class T>
ROWFOLD_DEVICE unsigned misalignment(const T* address, int bytes) {
  return static_cast<unsigned>(reinterpret_cast<unsigned long long>(address)) & static_cast<unsigned>(bytes - 1);
}

// 32 bits of the 64-bit value (high, low) from bit `bits` (0 to 31) on.
ROWFOLD_DEVICE unsigned funnel_shift_right(unsigned low, unsigned high, unsigned bits) {
#if defined(__CUDACC__)
  return __funnelshift_r(low, high, bits);
#else
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32) | low) >> bits);
#endif
}

// Bytes i * Chunk to (i + 1) * Chunk of an array of words, and back.
template <int Chunk, int Words>
ROWFOLD_DEVICE raw_bytes<Chunk> chunk_of(const unsigned (&words)[Words], int i) {
  raw_bytes<Chunk> chunk;
  ROWFOLD_UNROLL
  for (int w = 0; w < Chunk / 4; ++w) chunk.word[w] = words[i * (Chunk / 4) + w];
  return chunk;
}
template <int Chunk, int Words>
ROWFOLD_DEVICE void set_chunk(unsigned (&words)[Words], int i, const raw_bytes<Chunk>& chunk) {
  ROWFOLD_UNROLL
  for (int w = 0; w < Chunk / 4; ++w) words[i * (Chunk / 4) + w] = chunk.word[w];
}

// All of a granule at an aligned address. Policy: an l2_policy, or none.
template <load_hint Hint, int N, class T, class... Policy>
ROWFOLD_DEVICE packed<T, N> load_chunks(const T* address, Policy... policy) {
  constexpr int chunk = chunk_bytes<T, N>;
  packed<T, N> values{};
  ROWFOLD_UNROLL
  for (int i = 0; i < granule_bytes<T, N> / chunk; ++i) {
    const T* at = address + i * (chunk / static_cast<int>(sizeof(T)));
    set_chunk<chunk>(values.word, i, load_global<chunk, Hint>(at, policy...));
  }
  return values;
}

// The same if it exists; else unspecified bits and no access.
template <load_hint Hint, int N, class T, class... Policy>
ROWFOLD_DEVICE packed<T, N> load_chunks_if(const T* address, bool exists, Policy... policy) {
  constexpr int chunk = chunk_bytes<T, N>;
  packed<T, N> values;
  ROWFOLD_UNROLL
  for (int i = 0; i < granule_bytes<T, N> / chunk; ++i) {
    const T* at = address + i * (chunk / static_cast<int>(sizeof(T)));
    set_chunk<chunk>(values.word, i, load_global_if<chunk, Hint>(at, exists, policy...));
  }
  return values;
}

template <store_hint Hint, class T, int N>
ROWFOLD_DEVICE void store_chunks(T* address, const packed<T, N>& values) {
  constexpr int chunk = chunk_bytes<T, N>;
  ROWFOLD_UNROLL
  for (int i = 0; i < granule_bytes<T, N> / chunk; ++i) {
    store_global<chunk, Hint>(address + i * (chunk / static_cast<int>(sizeof(T))), chunk_of<chunk>(values.word, i));
  }
}

template <class T, int N>
ROWFOLD_DEVICE bool is_aligned_granule(const T* address) {
  return granule_bytes<T, N> >= 4 && misalignment(address, chunk_bytes<T, N>) == 0;
}

}  // namespace detail

// Loads columns [column, column + N) of the row at `row` with `cols` columns. Columns that do not exist are not read;
// they are zero bits with access `any`, else unspecified. `column` is a multiple of N. `sure`: the granule exists, as
// with access `full`, which the compiler then finds out in an unrolled loop. Policy: an l2_policy (ptx/l2_policy.cuh)
// for accesses of whole granules, or none.
template <granule_access Access, load_hint Hint, int N, class T, class... Policy>
ROWFOLD_DEVICE packed<T, N> load_granule(const T* row, int cols, int column, bool sure = false, Policy... policy) {
  const T* address = row + column;
  const int valid = cols - column;
  if constexpr (Access != granule_access::any && detail::granule_bytes<T, N> >= 4) {
    return detail::load_chunks_if<Hint, N>(address, Access == granule_access::full || sure || column < cols, policy...);
  } else {
    if constexpr (detail::granule_bytes<T, N> >= 4) {
      if (valid >= N && detail::is_aligned_granule<T, N>(address)) return detail::load_chunks<Hint, N>(address);
    }
    packed<T, N> values{};
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      if (i < valid) put_element(values, i, load_global<static_cast<int>(sizeof(T)), Hint>(address + i));
    }
    return values;
  }
}

// Stores columns [column, column + N) of the row at `row`, as far as they exist.
template <granule_access Access, store_hint Hint, int N, class T>
ROWFOLD_DEVICE void store_granule(T* row, int cols, int column, const packed<T, N>& values) {
  T* address = row + column;
  const int valid = cols - column;
  if constexpr (Access != granule_access::any && detail::granule_bytes<T, N> >= 4) {
    if (column < cols) detail::store_chunks<Hint>(address, values);  // of no row that does not exist
  } else {
    if constexpr (detail::granule_bytes<T, N> >= 4) {
      if (valid >= N && detail::is_aligned_granule<T, N>(address)) {
        detail::store_chunks<Hint>(address, values);
        return;
      }
    }
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      if (i < valid) store_global<static_cast<int>(sizeof(T)), Hint>(address + i, element_bits(values, i));
    }
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

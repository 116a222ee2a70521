// SPDX-License-Identifier: MIT
// Moving one granule of a row: N consecutive columns, for any address of the row and any number of columns, without
// touching a byte outside [row, row + cols).
//
// A thread owns a granule whatever the address of the row is, so alignment never changes who folds what. In a row that
// is not aligned, a thread loads the aligned chunks of at most 16 bytes around its granule and shifts them into place;
// to store, it takes the head of the next granule from its neighbour by a shuffle and writes whole aligned chunks. Only
// granules at the ends of a row, or of the lanes of a warp that share a row, move element by element.
//
// The plan knows what can be promised of all granules of all rows: see granule_access.
#pragma once

#include <cuda_runtime.h>

#include "rowfold/config.hpp"
#include "rowfold/memory/packed.cuh"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// What is known of every granule before the kernel runs.
enum class granule_access {
  full,   // aligned and complete
  whole,  // aligned, and complete or behind the end of the row
  any,    // nothing
};

// The lanes of one warp that hold neighbouring granules of one row: lane `rank` of `width`.
struct lane_segment {
  int rank;
  int width;
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

// Moves `words` down by `bytes` (less than Chunk) in place: a barrel shifter, so that no index is a run-time value.
template <int Chunk, int Words>
ROWFOLD_DEVICE void shift_down(unsigned (&words)[Words], unsigned bytes) {
  if constexpr (Chunk == 16) {
    ROWFOLD_UNROLL
    for (int i = 0; i + 2 < Words; ++i) words[i] = (bytes & 8u) != 0 ? words[i + 2] : words[i];
  }
  if constexpr (Chunk >= 8) {
    ROWFOLD_UNROLL
    for (int i = 0; i + 1 < Words; ++i) words[i] = (bytes & 4u) != 0 ? words[i + 1] : words[i];
  }
  ROWFOLD_UNROLL
  for (int i = 0; i + 1 < Words; ++i) words[i] = funnel_shift_right(words[i], words[i + 1], (bytes & 3u) * 8u);
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

// The lowest `count` bits, none for a negative count. One bit stands for one column of a granule.
ROWFOLD_DEVICE unsigned low_bits(int count) { return count >= 32 ? ~0u : count <= 0 ? 0u : (1u << count) - 1u; }

// Loads the elements whose bit is set, one by one; the others are zero.
template <load_hint Hint, int N, class T>
ROWFOLD_DEVICE packed<T, N> load_elements(const T* address, unsigned mask) {
  packed<T, N> values{};
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    if ((mask >> i & 1u) != 0) put_element(values, i, load_global<static_cast<int>(sizeof(T)), Hint>(address + i));
  }
  return values;
}

// Stores the elements whose bit is set, one by one.
template <store_hint Hint, int N, class T>
ROWFOLD_DEVICE void store_elements(T* address, const packed<T, N>& values, unsigned mask) {
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    if ((mask >> i & 1u) != 0) {
      store_global<static_cast<int>(sizeof(T)), Hint>(address + i, element_bits(values, i));
    }
  }
}

}  // namespace detail

// Columns [column, column + N) of the row at `row` with `cols` columns. Columns that do not exist are not read; their
// bits are zero with access `any`, else unspecified. Any thread may call it alone. `column` is a multiple of N.
template <granule_access Access, load_hint Hint, int N, class T>
ROWFOLD_DEVICE packed<T, N> load_granule(const T* row, int cols, int column) {
  constexpr int chunk = detail::chunk_bytes<T, N>;
  constexpr int chunk_elements = chunk / static_cast<int>(sizeof(T));
  const T* address = row + column;
  packed<T, N> values{};
  if constexpr (chunk < 4) {  // nothing to combine
    values = detail::load_elements<Hint, N>(address, detail::low_bits(cols - column));
  } else if constexpr (Access != granule_access::any) {
    constexpr int chunks = detail::granule_bytes<T, N> / chunk;
    ROWFOLD_UNROLL
    for (int i = 0; i < chunks; ++i) {
      const bool exists = Access == granule_access::full || column < cols;
      detail::set_chunk<chunk>(values.word, i, load_global_if<chunk, Hint>(address + i * chunk_elements, exists));
    }
  } else {
    constexpr int chunks = detail::granule_bytes<T, N> / chunk;
    const unsigned shift = detail::misalignment(address, chunk);
    const int before = static_cast<int>(shift / sizeof(T));  // elements of the first chunk that precede the granule
    if (shift == 0 && cols - column >= N) {
      ROWFOLD_UNROLL
      for (int i = 0; i < chunks; ++i) {
        detail::set_chunk<chunk>(values.word, i, load_global<chunk, Hint>(address + i * chunk_elements));
      }
    } else if (shift != 0 && column >= before && cols - column >= N + chunk_elements - before) {
      // The neighbours load the first and the last of these chunks too, so they may stay in L1.
      unsigned around[(chunks + 1) * chunk / 4];
      ROWFOLD_UNROLL
      for (int i = 0; i <= chunks; ++i) {
        const T* at = address - before + i * chunk_elements;
        detail::set_chunk<chunk>(around, i, load_global<chunk, load_hint::reused>(at));
      }
      detail::shift_down<chunk>(around, shift);
      ROWFOLD_UNROLL
      for (int i = 0; i < chunks * chunk / 4; ++i) values.word[i] = around[i];
    } else if (column < cols) {
      values = detail::load_elements<load_hint::reused, N>(address, detail::low_bits(cols - column));
    }
  }
  return values;
}

// Stores columns [column, column + N) of the row at `row`, as far as they exist.
// Every lane of the warp calls it together if `Access` is any; lanes of a segment hold neighbouring granules of one row,
// in order. `cols` may be 0 for lanes that store nothing.
template <granule_access Access, store_hint Hint, int N, class T>
ROWFOLD_DEVICE void store_granule(T* row, int cols, int column, const packed<T, N>& values, lane_segment segment) {
  constexpr int chunk = detail::chunk_bytes<T, N>;
  constexpr int chunk_elements = chunk / static_cast<int>(sizeof(T));
  T* address = row + column;
  if constexpr (chunk < 4) {
    detail::store_elements<Hint>(address, values, detail::low_bits(cols - column));
  } else {
    constexpr int chunks = detail::granule_bytes<T, N> / chunk;
    const bool whole = Access == granule_access::any ? cols - column >= N : column < cols;
    const unsigned shift = Access == granule_access::any ? detail::misalignment(address, chunk) : 0u;
    if (shift == 0 && whole) {
      ROWFOLD_UNROLL
      for (int i = 0; i < chunks; ++i) {
        store_global<chunk, Hint>(address + i * chunk_elements, detail::chunk_of<chunk>(values.word, i));
      }
    }
    if constexpr (Access == granule_access::any) {
      // Own granule, then the first chunk of the next lane's, moved so that chunks meet aligned addresses.
      unsigned joined[(chunks + 1) * chunk / 4];
      ROWFOLD_UNROLL
      for (int i = 0; i < chunks * chunk / 4; ++i) joined[i] = values.word[i];
      ROWFOLD_UNROLL
      for (int i = 0; i < chunk / 4; ++i) {
        joined[chunks * chunk / 4 + i] = simt::shuffle_down(values.word[i], 1u, static_cast<unsigned>(segment.width));
      }
      const int after = static_cast<int>(shift / sizeof(T));  // elements behind the granule's last own chunk
      const int head = chunk_elements - after;                // elements before its first own chunk, unless shift is 0
      unsigned remaining = detail::low_bits(cols - column) & detail::low_bits(N);
      if (shift == 0) {
        if (whole) remaining = 0;
      } else if (remaining != 0) {
        const bool joined_before = segment.rank > 0 && cols - column >= head;
        const bool joined_after = segment.rank + 1 < segment.width && cols - column >= N + head;
        detail::shift_down<chunk>(joined, static_cast<unsigned>(chunk) - shift);
        ROWFOLD_UNROLL
        for (int i = 0; i < chunks; ++i) {
          if (i + 1 < chunks ? whole : joined_after) {
            store_global<chunk, Hint>(address + head + i * chunk_elements, detail::chunk_of<chunk>(joined, i));
          }
        }
        if (joined_before) remaining &= ~detail::low_bits(head);  // the lane before stored these
        if (whole) remaining &= detail::low_bits(head) | ~detail::low_bits(N - after);
        if (joined_after) remaining &= detail::low_bits(N - after);
      }
      if (remaining != 0) detail::store_elements<Hint>(address, values, remaining);
    }
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

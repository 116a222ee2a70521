// SPDX-License-Identifier: MIT
// Moving one granule of a row: N consecutive columns, for any address of the row and any number of columns, without
// touching a byte outside [row, row + cols).
//
// A thread owns a granule whatever the address of the row is, so alignment never changes who folds what. In a row that
// is not aligned, a thread loads the 4-byte words that its granule touches and shifts them into place (its neighbours find
// theirs in L1); to store, it takes the head of the next granule from its neighbour by a shuffle and writes whole aligned
// chunks of 16 bytes. Only granules at the ends of a row, and stores at the ends of the lanes of a warp that share a row,
// move element by element.
//
// In place (the row stored is the row loaded), a thread's loads must come before its neighbours' stores, and do: a neighbour
// stores head bytes that a shuffle handed it, which the owner therefore has loaded; and a word that two threads load holds
// bytes of both, of which each uses its own, which only it or that shuffle can change. Where rows are read again in the pass
// that stores them, nothing but these dependences keeps the order: a race detector reports the bytes of granules in place
// that are not aligned.
//
// The plan knows what can be promised of all granules of all rows: see granule_access.
#pragma once

#include <cuda_runtime.h>

#include "rowfold/config.hpp"
#include "rowfold/memory/packed.cuh"
#include "rowfold/ptx/conditional_load.cuh"
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

// Moves `words` down by `bytes` (a multiple of Unit, less than Chunk) in place: a barrel shifter, so that no index is a
// run-time value.
template <int Chunk, int Unit, int Words>
ROWFOLD_DEVICE void shift_down(unsigned (&words)[Words], unsigned bytes) {
  if constexpr (Chunk == 16) {
    ROWFOLD_UNROLL
    for (int i = 0; i + 2 < Words; ++i) words[i] = (bytes & 8u) != 0 ? words[i + 2] : words[i];
  }
  if constexpr (Chunk >= 8 && Unit < 8) {
    ROWFOLD_UNROLL
    for (int i = 0; i + 1 < Words; ++i) words[i] = (bytes & 4u) != 0 ? words[i + 1] : words[i];
  }
  if constexpr (Unit < 4) {
    ROWFOLD_UNROLL
    for (int i = 0; i + 1 < Words; ++i) words[i] = funnel_shift_right(words[i], words[i + 1], (bytes & 3u) * 8u);
  }
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

// A granule on its way: the words that were asked for, which may not have arrived yet. Between fetch_granule and
// finish_granule a thread asks for its other granules, so that all of them are on their way together.
// AnyAccess: the access is granule_access::any.
template <bool AnyAccess, class T, int N>
struct fetched_granule {
  // Elements of less than 4 bytes may start within a word: then the granule touches one word more.
  static constexpr int words = packed<T, N>::words + (AnyAccess && sizeof(T) < 4 ? 1 : 0);
  unsigned word[words];
};

namespace detail {

// How a granule of any address lies on words of 4 bytes.
template <class T, int N>
struct granule_place {
  static constexpr int word_elements = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;

  unsigned shift;  // bytes from the start of a word to the granule
  int before;      // elements in them
  bool inside;     // all words that it touches lie in its row

  ROWFOLD_DEVICE granule_place(const T* address, int cols, int column)
      : shift(sizeof(T) < 4 ? misalignment(address, 4) : 0u), before(static_cast<int>(shift / sizeof(T))) {
    inside = column >= before && cols - column >= N + (shift == 0 ? 0 : word_elements - before);
  }
};

// Asks for a granule at any address: 16 bytes at once where it is aligned, else words, which neighbouring threads share
// through L1. (Loading aligned 16-byte chunks and shifting them into place took more instructions, and was slower.)
template <int N, class T>
ROWFOLD_DEVICE fetched_granule<true, T, N> fetch_anywhere(const T* address, int cols, int column) {
  constexpr int words = packed<T, N>::words;
  const granule_place<T, N> place(address, cols, column);
  const T* start = address - place.before;
  fetched_granule<true, T, N> fetched;
  if constexpr (words % 4 == 0) {
    const bool aligned = misalignment(address, 16) == 0;
    ROWFOLD_UNROLL
    for (int i = 0; i < words / 4; ++i) {
      set_chunk<16>(fetched.word, i,
                    load_four_words_if(start + i * (16 / static_cast<int>(sizeof(T))), place.inside && aligned,
                                       place.inside && !aligned));
    }
  } else {
    ROWFOLD_UNROLL
    for (int i = 0; i < words; ++i) fetched.word[i] = load_word_if(start + i * place.word_elements, place.inside);
  }
  if constexpr (sizeof(T) < 4) {
    fetched.word[words] = load_word_if(start + words * place.word_elements, place.inside && place.shift != 0);
  }
  return fetched;
}

}  // namespace detail

// Asks for columns [column, column + N) of the row at `row` with `cols` columns. Nothing outside the row is read. Any
// thread may call it alone. `column` is a multiple of N.
template <granule_access Access, load_hint Hint, int N, class T>
ROWFOLD_DEVICE fetched_granule<Access == granule_access::any, T, N> fetch_granule(const T* row, int cols, int column) {
  const T* address = row + column;
  if constexpr (detail::granule_bytes<T, N> < 4) {
    return {};  // finish_granule loads the elements
  } else if constexpr (Access == granule_access::any) {
    return detail::fetch_anywhere<N>(address, cols, column);
  } else {
    constexpr int chunk = detail::chunk_bytes<T, N>;
    fetched_granule<false, T, N> fetched;
    const bool exists = Access == granule_access::full || column < cols;
    ROWFOLD_UNROLL
    for (int i = 0; i < detail::granule_bytes<T, N> / chunk; ++i) {
      const T* at = address + i * (chunk / static_cast<int>(sizeof(T)));
      detail::set_chunk<chunk>(fetched.word, i, load_global_if<chunk, Hint>(at, exists));
    }
    return fetched;
  }
}

// The granule that fetch_granule asked for with the same arguments. Columns that do not exist are zero bits with access
// `any`, else unspecified. Granules that touch an end of their row are loaded here, element by element.
template <granule_access Access, load_hint Hint, int N, class T>
ROWFOLD_DEVICE packed<T, N> finish_granule(const fetched_granule<Access == granule_access::any, T, N>& fetched,
                                           const T* row, int cols, int column) {
  packed<T, N> values{};
  if constexpr (detail::granule_bytes<T, N> < 4) {
    values = detail::load_elements<Hint, N>(row + column, detail::low_bits(cols - column));
  } else {
    ROWFOLD_UNROLL
    for (int i = 0; i < values.words; ++i) values.word[i] = fetched.word[i];
    if constexpr (Access == granule_access::any) {
      const detail::granule_place<T, N> place(row + column, cols, column);
      if constexpr (sizeof(T) < 4) {
        ROWFOLD_UNROLL
        for (int i = 0; i < values.words; ++i) {
          values.word[i] = detail::funnel_shift_right(fetched.word[i], fetched.word[i + 1], place.shift * 8);
        }
      }
      if (!place.inside) {
        values = detail::load_elements<load_hint::coherent, N>(row + column, detail::low_bits(cols - column));
      }
    }
  }
  return values;
}

// Both in one: for a thread that has one granule to load.
template <granule_access Access, load_hint Hint, int N, class T>
ROWFOLD_DEVICE packed<T, N> load_granule(const T* row, int cols, int column) {
  return finish_granule<Access, Hint, N>(fetch_granule<Access, Hint, N>(row, cols, column), row, cols, column);
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
        detail::shift_down<chunk, static_cast<int>(sizeof(T))>(joined, static_cast<unsigned>(chunk) - shift);
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

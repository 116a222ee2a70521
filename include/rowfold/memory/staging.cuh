// SPDX-License-Identifier: MIT
// Rows on their way through shared memory, so that threads which own granules meet memory in aligned accesses that
// neighbouring threads make to neighbouring addresses, whatever the address of the row and its number of columns.
//
// In: the lanes of a group copy a part of a row into a stage with asynchronous copies of 16 bytes, or of 4 where the
// row is not aligned, and the elements of the at most two words that reach outside the row one by one. A stage keeps a
// row's offset within its first word, and nothing else of its address; a granule is then read as words and shifted by
// bytes. Out: the lanes of a warp that hold neighbouring granules of one row put them into a tile and store its words.
//
// No byte outside the row is read or written. Which threads must call a function together is said at each.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/stage_layout.hpp"
#include "rowfold/ptx/async_copy.cuh"
#include "rowfold/ptx/shared_memory.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

inline namespace ROWFOLD_BACKEND {

// The lanes of one warp that hold neighbouring granules of one row: lane `rank` of `width`.
struct lane_segment {
  int rank;
  int width;
};

namespace detail {

template <class T>
ROWFOLD_DEVICE unsigned stage_shift(const T* row) {
  return sizeof(T) >= 4 ? 0u : misalignment(row, 4);
}

}  // namespace detail

// Copies the first `count` elements at `row` into the stage; the calling threads are lane `rank` of `lanes`, all of
// them together. The stage may be read after ptx::commit_copies and wait_copies in each thread, and a barrier.
template <class T>
ROWFOLD_DEVICE_CALL void fill_stage(unsigned char* stage, const T* row, int count, int rank, int lanes) {
  constexpr int size = static_cast<int>(sizeof(T));
  const int shift = static_cast<int>(detail::stage_shift(row));
  // Word w of the stage holds the bytes from 4 * w on after this address.
  const unsigned char* const start = reinterpret_cast<const unsigned char*>(row) - shift;
  const int last_word = (count * size + shift) / 4;
  int word = shift == 0 ? 0 : 1;
  if (detail::misalignment(row, 16) == 0) {
    ROWFOLD_NO_UNROLL
    for (int i = rank; i < last_word / 4; i += lanes) ptx::copy_async<16>(stage + 16 * i, start + 16 * i);
    word = last_word / 4 * 4;
  }
  ROWFOLD_NO_UNROLL
  for (int i = word + rank; i < last_word; i += lanes) ptx::copy_async<4>(stage + 4 * i, start + 4 * i);
  if constexpr (size < 4) {
    if (rank != 0) return;
    const int head = shift == 0 ? 0 : (4 - shift) / size;
    T* const elements = reinterpret_cast<T*>(stage + shift);
    const int tail = last_word == 0 ? 0 : (last_word * 4 - shift) / size;
    ROWFOLD_NO_UNROLL
    for (int i = 0; i < head && i < count; ++i) elements[i] = load_element<load_hint::coherent>(row + i);
    ROWFOLD_NO_UNROLL
    for (int i = head > tail ? head : tail; i < count; ++i) {
      elements[i] = load_element<load_hint::coherent>(row + i);
    }
  }
}

// The same where `row` and `count` elements are multiples of 16 bytes.
template <class T>
ROWFOLD_DEVICE void fill_aligned_stage(unsigned char* stage, const T* row, int count, int rank, int lanes) {
  const unsigned char* const start = reinterpret_cast<const unsigned char*>(row);
  ROWFOLD_NO_UNROLL
  for (int i = rank; i < count * static_cast<int>(sizeof(T)) / 16; i += lanes) {
    ptx::copy_async<16>(stage + 16 * i, start + 16 * i);
  }
}

// The granule of N elements from `element` (a multiple of N) on in the stage of the row at `row`. Elements past the
// last one that was copied are unspecified. Any thread.
template <granule_access Access, int N, class T>
ROWFOLD_DEVICE packed<T, N> read_stage(const unsigned char* stage, const T* row, int element) {
  packed<T, N> values{};
  const unsigned char* const at = stage + element * static_cast<int>(sizeof(T));
  // Granules of less than a word may begin anywhere in one.
  const bool shifted = Access == granule_access::any || detail::granule_bytes<T, N> < 4;
  const unsigned shift = shifted ? detail::stage_shift(row) : 0u;
  if constexpr (detail::granule_bytes<T, N> < 4) {
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      put_element(values, i, bit_copy<raw_bytes<sizeof(T)>>(reinterpret_cast<const T*>(at + shift)[i]));
    }
  } else {
    constexpr int chunk = detail::chunk_bytes<T, N>;
    ROWFOLD_UNROLL
    for (int i = 0; i < detail::granule_bytes<T, N> / chunk; ++i) {
      detail::set_chunk<chunk>(values.word, i, load_shared<chunk>(at + i * chunk));
    }
    if constexpr (Access == granule_access::any && sizeof(T) < 4) {
      const unsigned next = load_shared<4>(at + 4 * values.words).word[0];
      ROWFOLD_UNROLL
      for (int i = 0; i < values.words; ++i) {
        const unsigned following = i + 1 < values.words ? values.word[i + 1] : next;
        values.word[i] = detail::funnel_shift_right(values.word[i], following, shift * 8);
      }
    }
  }
  return values;
}

// Stores columns [column, column + N) of the row at `row`, as far as they exist, through `tile`: N * sizeof(T) bytes
// for each lane of the segment, a multiple of 16 in all. All lanes of the warp call it together; those of a segment
// hold neighbouring granules, in order. `cols` may be 0 for lanes that store nothing.
template <store_hint Hint, int N, class T>
ROWFOLD_DEVICE void store_through_tile(unsigned char* tile, T* row, int cols, int column, const packed<T, N>& values,
                                       lane_segment segment) {
  constexpr int size = static_cast<int>(sizeof(T));
  constexpr int bytes = detail::granule_bytes<T, N>;
  if constexpr (bytes < 4) {
    store_granule<granule_access::any, Hint>(row, cols, column, values);
  } else {
    constexpr int chunk = detail::chunk_bytes<T, N>;
    ROWFOLD_UNROLL
    for (int i = 0; i < bytes / chunk; ++i) {
      store_shared<chunk>(tile + segment.rank * bytes + i * chunk, detail::chunk_of<chunk>(values.word, i));
    }
    simt::sync_warp();  // orders the granules above before the words below, which other lanes put there
    const int first = column - segment.rank * N;
    const int left = cols - first;
    const int count = left < 0 ? 0 : left < segment.width * N ? left : segment.width * N;
    T* const out = row + first;
    // Bytes before the first aligned chunk, and how many chunks lie inside the row after them.
    const int head = static_cast<int>((0u - detail::misalignment(out, chunk)) & (chunk - 1u));
    const int chunks = count * size > head ? (count * size - head) / chunk : 0;
    ROWFOLD_NO_UNROLL
    for (int i = segment.rank; i < chunks; i += segment.width) {
      const unsigned char* const at = tile + (head & ~3) + i * chunk;
      unsigned words[chunk / 4 + 1];
      ROWFOLD_UNROLL
      for (int w = 0; w < chunk / 4; ++w) words[w] = load_shared<4>(at + 4 * w).word[0];
      if constexpr (size < 4) {
        words[chunk / 4] = (head & 3) != 0 ? load_shared<4>(at + chunk).word[0] : 0u;
        ROWFOLD_UNROLL
        for (int w = 0; w < chunk / 4; ++w) {
          words[w] = detail::funnel_shift_right(words[w], words[w + 1], static_cast<unsigned>(head & 3) * 8);
        }
      }
      store_global<chunk, Hint>(reinterpret_cast<unsigned char*>(out) + head + i * chunk,
                                detail::chunk_of<chunk>(words, 0));
    }
    // The elements before and after the chunks, as few as make no chunk each.
    const T* const elements = reinterpret_cast<const T*>(tile);
    const int before = head / size < count ? head / size : count;
    const int behind = before + chunks * (chunk / size);
    ROWFOLD_NO_UNROLL
    for (int i = segment.rank; i < before + count - behind; i += segment.width) {
      const int element = i < before ? i : behind + i - before;
      store_element<Hint>(out + element, elements[element]);
    }
    simt::sync_warp();  // orders the reads above before the next granules that are put there
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The two halves of a transpose of rows that start anywhere: a tile from global to shared memory, as it lies, and from
// there, turned over, to global memory. skewed_tile.hpp explains who moves what. All Tile::threads threads of a block
// call each of them together, with a barrier between.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/skewed_tile.hpp"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/ptx/guarded_access.cuh"
#include "rowfold/ptx/l2_policy.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

template <class Tile>
struct skewed_storage {
  raw_bytes<16> vectors[Tile::shared_bytes / 16];
};

namespace detail {

// Staged rows from one to before another.
struct staged_range {
  int begin, end;

  ROWFOLD_DEVICE bool has(int row) const { return row >= begin && row < end; }
  ROWFOLD_DEVICE bool has_all(int row, int count) const { return row >= begin && row + count <= end; }
  ROWFOLD_DEVICE bool has_any(int row, int count) const { return row + count > begin && row < end; }
};

// A tile in its matrix.
struct skewed_place {
  long long col, cols;  // the tile's first, and how many the matrix has
  staged_range wanted;  // rows that exist, and are of this tile or among those that it needs of the one above
  staged_range joined;  // rows that have a vector's bytes of the matrix before them and after them
};

// above: rows that the tile needs of the one above. joined: a row of x begins where the one before it ends.
template <class Tile>
ROWFOLD_DEVICE skewed_place make_skewed_place(long long row, long long rows, long long col, long long cols, int above,
                                              bool joined) {
  // The staged row of a row of the matrix; beyond an end of the stage, that end.
  const auto staged = [row](long long r) {
    const long long s = r - row + Tile::above;
    return s < 0 ? 0 : s < Tile::staged_rows ? static_cast<int>(s) : Tile::staged_rows;
  };
  skewed_place place{col, cols, {}, {}};
  place.wanted = {row == 0 ? Tile::above : Tile::above - above, staged(rows)};
  place.joined = {staged(Tile::vector), joined ? staged(rows - Tile::vector) : 0};
  return place;
}

// Puts element `e` where it belongs in a vector; elements come in increasing order.
template <int Bytes>
ROWFOLD_DEVICE void put_element(raw_bytes<16>& vector, int e, const raw_bytes<Bytes>& element) {
  if constexpr (Bytes >= 4) {
    ROWFOLD_UNROLL
    for (int i = 0; i < Bytes / 4; ++i) vector.word[e * (Bytes / 4) + i] = element.word[i];
  } else {
    const int bit = e * Bytes % 4 * 8;
    unsigned value;
    if constexpr (Bytes == 2) {
      value = element.half_word;
    } else {
      value = element.byte;
    }
    unsigned& word = vector.word[e * Bytes / 4];
    word = (bit == 0 ? 0u : word) | value << bit;
  }
}

// The other way round.
template <int Bytes>
ROWFOLD_DEVICE raw_bytes<Bytes> get_element(const raw_bytes<16>& vector, int e) {
  raw_bytes<Bytes> element;
  if constexpr (Bytes >= 4) {
    ROWFOLD_UNROLL
    for (int i = 0; i < Bytes / 4; ++i) element.word[i] = vector.word[e * (Bytes / 4) + i];
  } else {
    const unsigned value = vector.word[e * Bytes / 4] >> e * Bytes % 4 * 8;
    if constexpr (Bytes == 2) {
      element.half_word = static_cast<unsigned short>(value);
    } else {
      element.byte = static_cast<unsigned char>(value);
    }
  }
  return element;
}

// How far past a multiple of `Bytes` an address is.
template <unsigned Bytes>
ROWFOLD_DEVICE int bytes_behind(const void* address) {
  return static_cast<int>(static_cast<unsigned>(reinterpret_cast<unsigned long long>(address)) % Bytes);
}

// Copies rows of x into shared memory. x: the tile's first column in staged row 0, which need not exist.
template <class Tile>
ROWFOLD_DEVICE void load_skewed(const skewed_place& tile, const unsigned char* x, long long row_stride,
                                skewed_storage<Tile>& storage, l2_policy policy) {
  constexpr int size = Tile::element_bytes;
  constexpr int count = (Tile::staged_rows + Tile::in_step - 1) / Tile::in_step;
  const int lane = static_cast<int>(simt::thread_rank()) % Tile::in_vectors;
  const int first = static_cast<int>(simt::thread_rank()) / Tile::in_vectors;
  x += first * row_stride;
  const int byte = lane * 16 - bytes_behind<16>(x);  // of the thread's vectors, counted from the tile's first column
  x += byte;
  const long long ahead = tile.col * size + byte;  // in their rows: less than 0 in front of them
  const long long left = tile.cols * size - ahead;
  const bool is_needed = byte < Tile::cols * size && left > 0;
  const bool is_inside = ahead >= 0 && left >= 16;
  const auto row_of = [first](int k) { return first + k * Tile::in_step; };
  const auto is_whole = [&](int k) {
    return is_needed && tile.wanted.has(row_of(k)) && (is_inside || tile.joined.has(row_of(k)));
  };
  raw_bytes<16> vectors[count];
  ROWFOLD_UNROLL
  for (int k = 0; k < count; ++k) {
    vectors[k] = load_or_zero<16>(x + k * Tile::in_step * row_stride, is_whole(k), policy);
  }
  ROWFOLD_UNROLL
  for (int k = 0; k < count; ++k) {
    if (row_of(k) < Tile::staged_rows) storage.vectors[Tile::offset(row_of(k), lane * 16) / 16] = vectors[k];
  }
  if (!is_needed || is_inside) return;
  // A vector across an end of the rows: where it must not be loaded whole, its elements, all of a row's at a time.
  unsigned char* bytes = reinterpret_cast<unsigned char*>(storage.vectors);
  ROWFOLD_NO_UNROLL
  for (int k = 0; k < count; ++k) {
    if (!tile.wanted.has(row_of(k)) || tile.joined.has(row_of(k))) continue;
    const auto is_there = [&](int e) { return ahead + e * size >= 0 && left > e * size; };
    raw_bytes<size> elements[Tile::vector];
    ROWFOLD_UNROLL
    for (int e = 0; e < Tile::vector; ++e) {
      elements[e] = load_or_zero<size>(x + k * Tile::in_step * row_stride + e * size, is_there(e));
    }
    unsigned char* place = bytes + Tile::offset(row_of(k), lane * 16);
    ROWFOLD_UNROLL
    for (int e = 0; e < Tile::vector; ++e) {
      memcpy(__builtin_assume_aligned(place + e * size, size), &elements[e], size);
    }
  }
}

// Moves the tile from shared memory into y. x as above; y: the tile's first row, in its first column, of x.
template <class Tile>
ROWFOLD_DEVICE void store_skewed(const skewed_place& tile, const unsigned char* x, long long x_row_stride,
                                 unsigned char* y, long long y_row_stride, const skewed_storage<Tile>& storage) {
  constexpr int size = Tile::element_bytes;
  constexpr int turns = Tile::out_vectors / Tile::out_lanes;
  constexpr int turn_rows = Tile::out_lanes * Tile::vector;
  const int lane = static_cast<int>(simt::thread_rank()) % Tile::out_lanes;
  const int first = static_cast<int>(simt::thread_rank()) / Tile::out_lanes;
  const int cols = tile.cols - tile.col < Tile::cols ? static_cast<int>(tile.cols - tile.col) : Tile::cols;
  y += first * y_row_stride;
  const int behind = bytes_behind<Tile::sector>(y);
  const int row = Tile::above - behind / size + lane * Tile::vector;  // staged, of the thread's vectors in turn 0
  y += lane * 16 - behind;
  int places[Tile::vector], swizzles[Tile::vector];  // of their elements, in shared memory
  ROWFOLD_UNROLL
  for (int e = 0; e < Tile::vector; ++e) {
    places[e] = (row + e) * Tile::row_bytes + bytes_behind<16>(x + (row + e) * x_row_stride) + first * size;
    swizzles[e] = Tile::swizzle(row + e);
  }
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(storage.vectors);
  ROWFOLD_UNROLL
  for (int i = 0; i < (Tile::cols + Tile::out_step - 1) / Tile::out_step; ++i) {
    if (first + i * Tile::out_step >= cols) break;
    ROWFOLD_UNROLL
    for (int turn = 0; turn < turns; ++turn) {
      raw_bytes<16> vector;
      ROWFOLD_UNROLL
      for (int e = 0; e < Tile::vector; ++e) {
        const int place = ((places[e] + i * Tile::out_step * size) ^ swizzles[e]) + turn * turn_rows * Tile::row_bytes;
        raw_bytes<size> element;
        memcpy(&element, __builtin_assume_aligned(bytes + place, size), size);
        put_element(vector, e, element);
      }
      const int top = row + turn * turn_rows;
      unsigned char* address = y + turn * turn_rows * size;
      store_if<16>(address, vector, tile.wanted.has_all(top, Tile::vector));
      if (tile.wanted.has_all(top, Tile::vector) || !tile.wanted.has_any(top, Tile::vector)) continue;
      ROWFOLD_UNROLL
      for (int e = 0; e < Tile::vector; ++e) {  // across an end of y's rows
        store_if<size>(address + e * size, get_element<size>(vector, e), tile.wanted.has(top + e));
      }
    }
    y += Tile::out_step * y_row_stride;
  }
}

}  // namespace detail
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

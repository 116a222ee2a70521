// SPDX-License-Identifier: MIT
// The two halves of a tiled transpose: a tile from global to shared memory, turned over, and from there to global
// memory. transpose_tile.hpp explains who moves what. All Tile::threads threads of a block call each of them together,
// with a barrier between.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/transpose_tile.hpp"
#include "rowfold/memory/transposed_vector.cuh"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/ptx/guarded_access.cuh"
#include "rowfold/ptx/l2_policy.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Vectors of y's rows, at Tile::offset.
template <class Tile>
struct transpose_storage {
  raw_bytes<16> vectors[Tile::shared_vectors];
};

namespace detail {

// A tile in memory: its first element, and how many rows and columns of x it has (fewer at the ends of a matrix).
template <class Byte>
struct tile_view {
  Byte* first;
  long long row_stride;
  int rows, cols;
};

// Puts the bytes of a piece where they belong in a row of 16; pieces come in increasing order.
template <int Bytes>
ROWFOLD_DEVICE void put_piece(unsigned (&row)[4], int piece, const raw_bytes<Bytes>& bytes) {
  if constexpr (Bytes >= 4) {
    ROWFOLD_UNROLL
    for (int i = 0; i < Bytes / 4; ++i) row[piece * (Bytes / 4) + i] = bytes.word[i];
  } else {
    const int bit = piece * Bytes % 4 * 8;
    unsigned value;
    if constexpr (Bytes == 2) {
      value = bytes.half_word;
    } else {
      value = bytes.byte;
    }
    row[piece * Bytes / 4] = (bit == 0 ? 0u : row[piece * Bytes / 4]) | value << bit;
  }
}

// Moves a tile of x into shared memory, turned over. Bytes: what one load moves.
template <class Tile, int Bytes>
ROWFOLD_DEVICE void load_tile(const tile_view<const unsigned char>& x, transpose_storage<Tile>& storage,
                              l2_policy policy) {
  constexpr int elements = Bytes / Tile::element_bytes;
  constexpr int step = Tile::threads / Tile::in_vectors * Tile::vector;  // rows between a thread's micro tiles
  const int lane = static_cast<int>(simt::thread_rank()) % Tile::in_vectors;
  const int first = static_cast<int>(simt::thread_rank()) / Tile::in_vectors * Tile::vector;
  unsigned words[Tile::micro_tiles][Tile::vector][4];
  ROWFOLD_UNROLL
  for (int m = 0; m < Tile::micro_tiles; ++m) {
    const int row = first + m * step;
    const unsigned char* address = x.first + row * x.row_stride + lane * Bytes;
    ROWFOLD_UNROLL
    for (int i = 0; i < Tile::vector; ++i) {
      ROWFOLD_UNROLL
      for (int piece = 0; piece < 16 / Bytes; ++piece) {
        const bool exists = row + i < x.rows && Tile::column_of_piece(piece, lane, elements) < x.cols;
        put_piece(words[m][i], piece, load_or_zero<Bytes>(address + piece * Tile::in_vectors * Bytes, exists, policy));
      }
      address += x.row_stride;
    }
  }
  const int own = Tile::offset(first, lane * elements);
  ROWFOLD_UNROLL
  for (int m = 0; m < Tile::micro_tiles; ++m) {
    ROWFOLD_UNROLL
    for (int i = 0; i < Tile::vector; ++i) {
      const int column = Tile::column_of_piece(i / elements, 0, elements) + i % elements;
      storage.vectors[(own ^ Tile::offset(m * step, column)) / 16] =
          transposed_vector<Tile::element_bytes>(words[m], i);
    }
  }
}

// The piece at `offset` bytes of shared memory. (Through memcpy: pieces are smaller than the vectors that were stored.)
template <int Bytes>
ROWFOLD_DEVICE raw_bytes<Bytes> load_piece(const raw_bytes<16>* vectors, int offset) {
  raw_bytes<Bytes> piece;
  const void* address = __builtin_assume_aligned(reinterpret_cast<const unsigned char*>(vectors) + offset, Bytes);
  memcpy(&piece, address, Bytes);
  return piece;
}

// Moves a tile from shared memory into y. Bytes: what one store moves. Rows and columns are x's.
template <class Tile, int Bytes>
ROWFOLD_DEVICE void store_tile(const tile_view<unsigned char>& y, const transpose_storage<Tile>& storage) {
  constexpr int elements = Bytes / Tile::element_bytes;
  constexpr int step = Tile::threads / Tile::out_vectors;  // columns that the block stores at a time
  const int lane = static_cast<int>(simt::thread_rank()) % Tile::out_vectors;
  const int first = static_cast<int>(simt::thread_rank()) / Tile::out_vectors;
  const int own = Tile::offset(lane * elements, first);
  unsigned char* address = y.first + first * y.row_stride + lane * Bytes;
  ROWFOLD_UNROLL
  for (int i = 0; i < Tile::cols / step; ++i) {
    ROWFOLD_UNROLL
    for (int piece = 0; piece < 16 / Bytes; ++piece) {
      const int row = Tile::row_of_piece(piece, 0, elements);
      const auto bytes = load_piece<Bytes>(storage.vectors, own ^ Tile::offset(row, i * step));
      const bool exists = first + i * step < y.cols && Tile::row_of_piece(piece, lane, elements) < y.rows;
      store_if<Bytes>(address + piece * Tile::out_vectors * Bytes, bytes, exists);
    }
    address += step * y.row_stride;
  }
}

// The same by the width of an access, which all threads agree on.
template <class Tile, int Bytes = 16>
ROWFOLD_DEVICE void load_tile_by(int access, const tile_view<const unsigned char>& x, transpose_storage<Tile>& storage,
                                 l2_policy policy) {
  if constexpr (Bytes > Tile::element_bytes) {
    if (access < Bytes) return load_tile_by<Tile, Bytes / 2>(access, x, storage, policy);
  }
  load_tile<Tile, Bytes>(x, storage, policy);
}
template <class Tile, int Bytes = 16>
ROWFOLD_DEVICE void store_tile_by(int access, const tile_view<unsigned char>& y,
                                  const transpose_storage<Tile>& storage) {
  if constexpr (Bytes > Tile::element_bytes) {
    if (access < Bytes) return store_tile_by<Tile, Bytes / 2>(access, y, storage);
  }
  store_tile<Tile, Bytes>(y, storage);
}

}  // namespace detail
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

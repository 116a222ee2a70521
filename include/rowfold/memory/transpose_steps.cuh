// SPDX-License-Identifier: MIT
// The two halves of a transpose of rows of whole vectors: a tile from global to shared memory, turned over, and from
// there to global memory. transpose_tile.hpp explains who moves what. All Tile::threads threads of a block call each of
// them together, with a barrier between.
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

// Moves a tile of x into shared memory, turned over.
template <class Tile>
ROWFOLD_DEVICE void load_tile(const tile_view<const unsigned char>& x, transpose_storage<Tile>& storage,
                              l2_policy policy) {
  constexpr int step = Tile::threads / Tile::in_vectors * Tile::vector;  // rows between a thread's micro tiles
  const int lane = static_cast<int>(simt::thread_rank()) % Tile::in_vectors;
  const int first = static_cast<int>(simt::thread_rank()) / Tile::in_vectors * Tile::vector;
  unsigned words[Tile::micro_tiles][Tile::vector][4];
  ROWFOLD_UNROLL
  for (int m = 0; m < Tile::micro_tiles; ++m) {
    const int row = first + m * step;
    const unsigned char* address = x.first + row * x.row_stride + lane * 16;
    ROWFOLD_UNROLL
    for (int i = 0; i < Tile::vector; ++i) {
      const bool exists = row + i < x.rows && lane * Tile::vector < x.cols;
      const raw_bytes<16> loaded = load_or_zero<16>(address, exists, policy);
      ROWFOLD_UNROLL
      for (int w = 0; w < 4; ++w) words[m][i][w] = loaded.word[w];
      address += x.row_stride;
    }
  }
  const int own = Tile::offset(first, lane * Tile::vector);
  ROWFOLD_UNROLL
  for (int m = 0; m < Tile::micro_tiles; ++m) {
    ROWFOLD_UNROLL
    for (int i = 0; i < Tile::vector; ++i) {
      storage.vectors[(own ^ Tile::offset(m * step, i)) / 16] = transposed_vector<Tile::element_bytes>(words[m], i);
    }
  }
}

// Moves a tile from shared memory into y. Rows and columns are x's.
template <class Tile>
ROWFOLD_DEVICE void store_tile(const tile_view<unsigned char>& y, const transpose_storage<Tile>& storage) {
  constexpr int step = Tile::threads / Tile::out_vectors;  // columns that the block stores at a time
  const int lane = static_cast<int>(simt::thread_rank()) % Tile::out_vectors;
  const int first = static_cast<int>(simt::thread_rank()) / Tile::out_vectors;
  const int own = Tile::offset(lane * Tile::vector, first);
  unsigned char* address = y.first + first * y.row_stride + lane * 16;
  ROWFOLD_UNROLL
  for (int i = 0; i < Tile::cols / step; ++i) {
    const bool exists = first + i * step < y.cols && lane * Tile::vector < y.rows;
    store_if<16>(address, storage.vectors[(own ^ Tile::offset(0, i * step)) / 16], exists);
    address += step * y.row_stride;
  }
}

}  // namespace detail
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

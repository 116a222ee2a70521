// SPDX-License-Identifier: MIT
// The geometry of a tiled transpose: which elements of a tile a thread moves, and where they lie in shared memory.
// Plain numbers for host and device; transpose.cuh has the kernel.
//
// A vector is 16 bytes. Loading, a thread takes one vector from each of as many rows as a vector has elements (a micro
// tile) and turns it over in its registers, which makes vectors of y's rows; they go to shared memory whole, and whole
// vectors of y's rows are taken from there. So shared memory sees two accesses for 16 bytes moved, and not two for each
// element.
//
// Shared memory holds a row of vectors for each column of the tile. Lanes that load are neighbours along a row, so they
// write the same vector of rows that lie a power of two apart; lanes that store read neighbouring vectors of one row.
// The hardware serves a 16-byte access eight lanes at a time, which must meet eight different vectors modulo 8. Padding
// rows cannot do it (the distance of two lanes' rows is even, so the banks would be all even or all odd). Instead, the
// vector's place in its row is combined, by exclusive or, with the octal digits of the row's number: any three
// neighbouring bits of the number then reach all eight places. tests/transpose/tile_test.cpp counts the conflicts of
// every warp.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/power_of_two.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// A tile of InVectors vectors in each row of x and OutVectors vectors in each row of y; every thread has MicroTiles
// micro tiles.
template <int ElementBytes, int InVectors, int OutVectors, int MicroTiles>
struct transpose_tile {
  static constexpr int element_bytes = ElementBytes;
  static constexpr int vector = 16 / ElementBytes;  // elements
  static constexpr int in_vectors = InVectors;
  static constexpr int out_vectors = OutVectors;
  static constexpr int micro_tiles = MicroTiles;
  static constexpr int rows = OutVectors * vector;  // of x, which are columns of y
  static constexpr int cols = InVectors * vector;
  static constexpr int threads = InVectors * OutVectors / MicroTiles;
  static constexpr int shared_vectors = cols * OutVectors;

  static_assert(ElementBytes == 1 || ElementBytes == 2 || ElementBytes == 4 || ElementBytes == 8,
                "elements have 1, 2, 4 or 8 bytes");
  static_assert(detail::is_power_of_two(InVectors) && detail::is_power_of_two(OutVectors) &&
                    detail::is_power_of_two(MicroTiles),
                "rows, columns and threads are powers of two: see offset()");
  static_assert(InVectors >= 8 && OutVectors >= 8, "places of 8 vectors are exchanged");
  static_assert(threads >= InVectors && threads >= OutVectors && threads >= 32 && threads <= 1024,
                "a block has whole warps, and enough threads for a row");

  // Global memory is accessed in pieces of `elements` (a power of two up to a vector). Piece `piece` of a thread that
  // is number `lane` along the row starts here: neighbouring lanes have neighbouring pieces, however small they are.
  static ROWFOLD_HOST_DEVICE constexpr int column_of_piece(int piece, int lane, int elements) {
    return (piece * InVectors + lane) * elements;
  }
  static ROWFOLD_HOST_DEVICE constexpr int row_of_piece(int piece, int lane, int elements) {
    return (piece * OutVectors + lane) * elements;
  }

  // Where shared memory holds the element in this row and column of the tile, in bytes. Linear in exclusive or:
  // offset(r ^ s, c ^ d) == offset(r, c) ^ offset(s, d); so a thread works out its own share once, and what is the same
  // in all threads is a constant.
  static ROWFOLD_HOST_DEVICE constexpr int offset(int row, int column) {
    const int place = row / vector ^ ((column ^ column >> 3 ^ column >> 6) & 7);
    return (column * OutVectors + place) * 16 + row % vector * ElementBytes;
  }
};

// The tuning of transpose, all of it.
struct transpose_tuning {
  // Pieces of 256 contiguous bytes on both sides, and 16 KB of shared memory (32 KB for 2-byte elements); with elements
  // of one byte that would be 64 KB, hence 128 bytes.
  static ROWFOLD_HOST_DEVICE constexpr int vectors(int element_bytes) { return element_bytes == 1 ? 8 : 16; }
  // At least four 16-byte loads of a thread in flight: a micro tile has 16, 8, 4 or 2.
  static ROWFOLD_HOST_DEVICE constexpr int micro_tiles(int element_bytes) { return element_bytes == 8 ? 2 : 1; }

  template <int ElementBytes>
  using tile = transpose_tile<ElementBytes, vectors(ElementBytes), vectors(ElementBytes), micro_tiles(ElementBytes)>;

  // Blocks follow one another down a band of so many tiles, then to the next column of tiles, so that those that run at
  // a time lie close together in both x and y. Of the powers of two up to 64, the last was the best for a large square
  // on an H200, by a percent; matrices of a few tiles' width do not notice.
  static constexpr int band = 64;

  static constexpr long long max_tiles = 0x7fffffff;    // blocks of a grid
  static constexpr long long max_elements = 1ll << 52;  // no memory holds as many; below it, bytes fit 63 bits
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

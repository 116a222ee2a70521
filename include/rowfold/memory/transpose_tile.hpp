// SPDX-License-Identifier: MIT
// The geometry of a transpose tile between rows of whole vectors: which elements a thread moves, and where they lie in
// shared memory. Plain numbers for host and device; transpose_steps.cuh moves them, skewed_tile.hpp is for other rows.
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

  // Where shared memory holds the element in this row and column of the tile, in bytes. Linear in exclusive or:
  // offset(r ^ s, c ^ d) == offset(r, c) ^ offset(s, d); so a thread works out its own share once, and what is the same
  // in all threads is a constant.
  static ROWFOLD_HOST_DEVICE constexpr int offset(int row, int column) {
    const int place = row / vector ^ ((column ^ column >> 3 ^ column >> 6) & 7);
    return (column * OutVectors + place) * 16 + row % vector * ElementBytes;
  }
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

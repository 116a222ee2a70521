// SPDX-License-Identifier: MIT
// The geometry of a transpose tile between rows that start anywhere: which bytes a thread moves, and where they lie in
// shared memory. Plain numbers for host and device; skewed_steps.cuh moves them.
//
// Narrow accesses are what makes odd rows slow. Small stores most of all: each covers a part of a 32-byte sector of L2,
// and a piece of a row that starts in the middle of a sector touches one more. So both sides move whole vectors of 16
// bytes here, at addresses that are multiples of 16, wherever a row has all 16 bytes; elements are moved one by one
// only at the two ends of a matrix's rows.
//
//   x: shared memory holds, for each row of the tile, the in_vectors aligned vectors that cover its columns, as they
//      lie in memory; where in the first of them a row starts is known from its address. One vector is for that shift,
//      so that neighbouring tiles both load the vector between them.
//   y: the tile of a row of y ends where a sector ends, in each row elsewhere: a row whose address is s elements past
//      a sector takes the tile's rows of x from s rows above to s rows before its end. So a tile loads up to `above`
//      rows that the tile above it loads too, and every sector of y is written whole, by neighbouring lanes.
//
// Lanes that store gather their vectors element by element: eight of them for the same column, from rows that lie
// `vector` apart, which have one shift; four neighbouring columns make a warp. The eight rows' vectors lie in eight
// different places, as in transpose_tile.hpp. The four columns want different words of them for some lengths of rows,
// and at worst the same one: then four lanes meet in each bank. To have the columns take their elements in different
// order cures that, but cost more than it saved on an H200. tests/transpose/skewed_tile_test.cpp counts.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/power_of_two.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// A tile of InVectors staged vectors in each row of x and OutVectors vectors in each row of y.
template <int ElementBytes, int InVectors, int OutVectors, int Threads>
struct skewed_tile {
  static constexpr int element_bytes = ElementBytes;
  static constexpr int vector = 16 / ElementBytes;  // elements
  static constexpr int in_vectors = InVectors;
  static constexpr int out_vectors = OutVectors;
  static constexpr int threads = Threads;
  static constexpr int sector = 32;  // bytes: what L2 knows to be written or not
  static constexpr int rows = OutVectors * vector;
  static constexpr int cols = (InVectors - 1) * vector;
  static constexpr int above = sector / ElementBytes;  // rows
  static constexpr int staged_rows = above + rows;     // staged row `above` is row 0 of the tile
  static constexpr int row_bytes = InVectors * 16;
  static constexpr int shared_bytes = staged_rows * row_bytes;

  static constexpr int in_step = Threads / InVectors;   // rows that the block loads at a time
  static constexpr int out_lanes = 8;                   // that store neighbouring vectors of a row of y
  static constexpr int out_step = Threads / out_lanes;  // columns that the block stores at a time

  static_assert(ElementBytes == 1 || ElementBytes == 2 || ElementBytes == 4 || ElementBytes == 8,
                "elements have 1, 2, 4 or 8 bytes");
  static_assert(detail::is_power_of_two(InVectors) && InVectors >= 8, "places of 8 vectors are exchanged");
  static_assert(OutVectors % out_lanes == 0, "lanes have whole turns");
  static_assert(Threads % 32 == 0 && Threads <= 1024 && Threads % InVectors == 0, "a block has whole warps and rows");
  static_assert(in_step % vector == 0, "all rows that a thread loads have one shift");
  static_assert(out_step * ElementBytes % sector == 0, "all rows of y that a thread stores have one shift");

  // Where shared memory holds byte `byte` of a staged row.
  static ROWFOLD_HOST_DEVICE constexpr int offset(int row, int byte) { return row * row_bytes + (byte ^ swizzle(row)); }
  // Rows are multiples of 128 bytes, so it may be applied to the sum, too: (row * row_bytes + byte) ^ swizzle(row).
  static ROWFOLD_HOST_DEVICE constexpr int swizzle(int row) { return (row / vector & 7) * 16; }
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

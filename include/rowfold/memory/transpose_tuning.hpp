// SPDX-License-Identifier: MIT
// The tuning of transpose, all of it: plain numbers for host and device.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/skewed_tile.hpp"
#include "rowfold/memory/transpose_tile.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Every tile and number below was the best, or within a percent of it, of those tried on an H200.
struct transpose_tuning {
  // Aligned tiles. Pieces of 256 contiguous bytes on both sides, and 16 KB of shared memory (32 KB for 2-byte
  // elements); with elements of one byte that would be 64 KB, hence 128 bytes.
  static ROWFOLD_HOST_DEVICE constexpr int vectors(int element_bytes) { return element_bytes == 1 ? 8 : 16; }
  // At least four 16-byte loads of a thread in flight: a micro tile has 16, 8, 4 or 2.
  static ROWFOLD_HOST_DEVICE constexpr int micro_tiles(int element_bytes) { return element_bytes == 8 ? 2 : 1; }

  // Skewed tiles. The larger they are, the less they load that others load, too; but the fewer fit a multiprocessor,
  // and the more of them are cut off by an end of the matrix. So there are large ones for matrices that have at least
  // `large_from` of them along each side. (Single bytes take so many registers to turn over that theirs stay small.)
  static constexpr int large_from = 16;
  static ROWFOLD_HOST_DEVICE constexpr int large_in(int element_bytes) { return element_bytes == 1 ? 16 : 32; }
  static ROWFOLD_HOST_DEVICE constexpr int large_out(int element_bytes) {
    return element_bytes == 1 ? 8 : element_bytes == 2 ? 16 : 32;
  }
  static ROWFOLD_HOST_DEVICE constexpr int large_threads(int element_bytes) {
    return element_bytes == 2 || element_bytes == 4 ? 512 : 256;
  }

  // Blocks follow one another down a band of so many tiles, then to the next column of tiles, so that those that run at
  // a time lie close together in both x and y. For large skewed tiles, twice as many were 2 % better in large squares;
  // they are no better for narrow matrices. (Aligned ones were not tried beyond 64.)
  static constexpr int band = 64;
  static constexpr int large_band = 128;

  static constexpr long long max_tiles = 0x7fffffff;    // blocks of a grid
  static constexpr long long max_elements = 1ll << 52;  // no memory holds as many; below it, bytes fit 63 bits
};

// The tiles of one size of element.
template <int ElementBytes>
struct transpose_tiles {
  static constexpr int vectors = transpose_tuning::vectors(ElementBytes);
  using aligned = transpose_tile<ElementBytes, vectors, vectors, transpose_tuning::micro_tiles(ElementBytes)>;
  using skewed = skewed_tile<ElementBytes, 16, vectors, ElementBytes == 8 ? 128 : 256>;
  using large_skewed =
      skewed_tile<ElementBytes, transpose_tuning::large_in(ElementBytes), transpose_tuning::large_out(ElementBytes),
                  transpose_tuning::large_threads(ElementBytes)>;
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

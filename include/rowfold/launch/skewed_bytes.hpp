// SPDX-License-Identifier: MIT
// What the loads of a transpose between rows that start anywhere add up to (memory/skewed_tile.hpp). Exact: the tests
// count the kernel's accesses and compare.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// Tiles of `tile` along a side.
constexpr std::int64_t tiles_along(std::int64_t length, int tile) { return (length - 1) / tile + 1; }

// How many of the numbers from `from` to below `to` are `remainder` modulo `divisor`; 0 <= from <= to.
constexpr std::int64_t count_alike(std::int64_t from, std::int64_t to, int remainder, int divisor) {
  const int rest = divisor - 1 - remainder;
  return (to + rest) / divisor - (from + rest) / divisor;
}

// Of a row of `length` bytes that starts `behind` bytes past a multiple of 16: every byte once, and again what the
// row has of the vector between two tiles.
template <class Tile>
constexpr std::int64_t skewed_row_bytes(int behind, std::int64_t length) {
  constexpr std::int64_t tile = Tile::cols * Tile::element_bytes;
  const std::int64_t borders = (length - 1) / tile;
  if (behind == 0 || borders == 0) return length;
  const std::int64_t rest = length - borders * tile + behind;
  return length + 16 * (borders - 1) + (rest < 16 ? rest : 16);
}

// The same where whole vectors are loaded at the row's ends, too.
template <class Tile>
constexpr std::int64_t skewed_joined_bytes(int behind, std::int64_t length) {
  constexpr std::int64_t tile = Tile::cols * Tile::element_bytes;
  const std::int64_t vectors = (length + behind + 15) / 16;
  return 16 * (vectors + (behind != 0 ? (length - 1) / tile : 0));
}

// Of how many of the rows from `from` to below `to`, whose number is `remainder` modulo a vector: every one once, and
// again those that a tile needs of the tile above it. At most a vector of a matrix's rows lie outside at either end.
template <class Tile>
constexpr std::int64_t skewed_rows(std::int64_t from, std::int64_t to, std::int64_t rows, int above, int remainder) {
  if (from >= to) return 0;
  const std::int64_t last = (tiles_along(rows + above, Tile::rows) - 1) * Tile::rows;  // where the last tile starts
  std::int64_t count = count_alike(from, to, remainder, Tile::vector);
  if (last == 0) return count;
  count += (last / Tile::rows - 1) * count_alike(Tile::rows - above, Tile::rows, remainder, Tile::vector);
  if (to > last - above) count += count_alike(last - above, last < to ? last : to, remainder, Tile::vector);
  return count;
}

// Of all rows. Problem: transpose_problem. Numbers of rows, and of matrices, that are the same modulo a vector mean
// addresses that are the same modulo 16.
template <class Tile, class Problem>
constexpr std::int64_t skewed_loaded_bytes(const Problem& problem, int above, bool joined) {
  std::int64_t bytes = 0;
  const std::int64_t length = problem.cols * Tile::element_bytes;
  for (int b = 0; b < Tile::vector && b < problem.batch; ++b) {
    for (int r = 0; r < Tile::vector && r < problem.rows; ++r) {
      const std::int64_t elements = b * (problem.x.batch_stride & 15) + r * (problem.x.row_stride & 15);
      const int behind = static_cast<int>((problem.x.misalignment + elements * Tile::element_bytes) & 15);
      const std::int64_t all = skewed_rows<Tile>(0, problem.rows, problem.rows, above, r);
      const std::int64_t inner =
          joined ? skewed_rows<Tile>(Tile::vector, problem.rows - Tile::vector, problem.rows, above, r) : 0;
      bytes +=
          count_alike(0, problem.batch, b, Tile::vector) *
          ((all - inner) * skewed_row_bytes<Tile>(behind, length) + inner * skewed_joined_bytes<Tile>(behind, length));
    }
  }
  return bytes;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

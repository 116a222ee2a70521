// SPDX-License-Identifier: MIT
// The geometry of an aligned tile, by counting: every element has a place of its own in shared memory, and no warp's
// access to shared memory meets one bank twice.
#include <algorithm>
#include <tuple>
#include <vector>

#include "rowfold/memory/transpose_tuning.hpp"
#include "support/check.hpp"
#include "transpose/bank_turns.hpp"

using rowfold::transpose_tile;
using rowfold::transpose_tiles;
using rowfold_test::turns;

namespace {

// The tiles that transpose uses, and some that it might.
using tiles = std::tuple<transpose_tiles<1>::aligned, transpose_tiles<2>::aligned, transpose_tiles<4>::aligned,
                         transpose_tiles<8>::aligned, transpose_tile<1, 16, 16, 1>, transpose_tile<2, 8, 8, 1>,
                         transpose_tile<2, 16, 8, 1>, transpose_tile<2, 8, 16, 1>, transpose_tile<4, 32, 8, 2>,
                         transpose_tile<4, 8, 32, 1>, transpose_tile<8, 32, 32, 4>>;

// Where the threads of a warp put row-vector `i` of micro tile `m`. As load_tile does it.
template <class Tile>
std::vector<int> stored_offsets(int warp, int m, int i) {
  constexpr int step = Tile::threads / Tile::in_vectors * Tile::vector;
  std::vector<int> offsets;
  for (int thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    const int lane = thread % Tile::in_vectors;
    const int row = thread / Tile::in_vectors * Tile::vector + m * step;
    offsets.push_back(Tile::offset(row, lane * Tile::vector + i));
  }
  return offsets;
}

// Where they find their vector of their row `i` of y. As store_tile does it.
template <class Tile>
std::vector<int> loaded_offsets(int warp, int i) {
  constexpr int step = Tile::threads / Tile::out_vectors;
  std::vector<int> offsets;
  for (int thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    const int lane = thread % Tile::out_vectors;
    offsets.push_back(Tile::offset(lane * Tile::vector, thread / Tile::out_vectors + i * step));
  }
  return offsets;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("every element of a tile has a place of its own", "", tiles) {
  std::vector<int> found(static_cast<std::size_t>(TestType::shared_vectors) * 16, 0);
  bool linear = true;
  for (int row = 0; row < TestType::rows; ++row) {
    for (int column = 0; column < TestType::cols; ++column) {
      const int offset = TestType::offset(row, column);
      for (int byte = 0; byte < TestType::element_bytes; ++byte) ++found[static_cast<std::size_t>(offset + byte)];
      const int other_row = (row * 7 + 3) % TestType::rows;
      const int other_column = (column * 5 + 1) % TestType::cols;
      linear = linear && TestType::offset(row ^ other_row, column ^ other_column) ==
                             (offset ^ TestType::offset(other_row, other_column));
    }
  }
  CHECK(std::count(found.begin(), found.end(), 1) == static_cast<std::ptrdiff_t>(found.size()));
  CHECK(linear);
}

TEMPLATE_LIST_TEST_CASE("vectors meet no bank twice", "", tiles) {
  int stored = 0;
  int loaded = 0;
  for (int warp = 0; warp < TestType::threads / 32; ++warp) {
    for (int m = 0; m < TestType::micro_tiles; ++m) {
      for (int i = 0; i < TestType::vector; ++i) {
        stored = std::max(stored, turns(stored_offsets<TestType>(warp, m, i), 16));
      }
    }
    const int rows_of_y = TestType::cols / (TestType::threads / TestType::out_vectors);
    for (int i = 0; i < rows_of_y; ++i) loaded = std::max(loaded, turns(loaded_offsets<TestType>(warp, i), 16));
  }
  CHECK(stored == 1);
  CHECK(loaded == 1);
}

TEST_CASE("the count finds conflicts that are there") {
  std::vector<int> same_bank, one_word, vectors_apart;
  for (int lane = 0; lane < 32; ++lane) {
    same_bank.push_back(lane * 128);
    one_word.push_back(lane % 4);
    vectors_apart.push_back(lane * 32);
  }
  CHECK(turns(same_bank, 4) == 32);
  CHECK(turns(same_bank, 16) == 8);
  CHECK(turns(one_word, 1) == 1);
  CHECK(turns(vectors_apart, 16) == 2);
}

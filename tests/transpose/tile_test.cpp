// SPDX-License-Identifier: MIT
// The geometry of a tile, by counting: every element has one thread and one place in shared memory, and no warp's
// access to shared memory meets one bank twice where that was promised.
//
// What is counted is how the hardware serves shared memory: 32 banks of 4 bytes; a warp's access of 16 bytes in four
// parts of 8 lanes, of 8 bytes in two of 16, of less in one. A part takes as many turns as different words of one bank
// it names.
#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "rowfold/memory/transpose_tile.hpp"
#include "support/check.hpp"

using rowfold::transpose_tile;
using rowfold::transpose_tuning;

namespace {

// The tiles that transpose uses, and some that it might.
using tiles = std::tuple<transpose_tuning::tile<1>, transpose_tuning::tile<2>, transpose_tuning::tile<4>,
                         transpose_tuning::tile<8>, transpose_tile<1, 16, 16, 1>, transpose_tile<2, 8, 8, 1>,
                         transpose_tile<2, 16, 8, 1>, transpose_tile<2, 8, 16, 1>, transpose_tile<4, 32, 8, 2>,
                         transpose_tile<4, 8, 32, 1>, transpose_tile<8, 32, 32, 4>>;

// The turns of the slowest part of a warp whose lanes access `bytes` at these offsets.
int turns(const std::vector<int>& offsets, int bytes) {
  const int lanes = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
  int most = 0;
  for (int first = 0; first < 32; first += lanes) {
    std::set<int> words[32];
    for (int lane = first; lane < first + lanes; ++lane) {
      const int begin = offsets[static_cast<std::size_t>(lane)];
      for (int word = begin / 4; word <= (begin + bytes - 1) / 4; ++word) words[word % 32].insert(word);
    }
    for (const auto& bank : words) most = std::max(most, static_cast<int>(bank.size()));
  }
  return most;
}

// Where the threads of a warp put row-vector `i` of micro tile `m`; pieces of `elements`. As load_tile does it.
template <class Tile>
std::vector<int> stored_offsets(int warp, int m, int i, int elements) {
  constexpr int step = Tile::threads / Tile::in_vectors * Tile::vector;
  std::vector<int> offsets;
  for (int thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    const int lane = thread % Tile::in_vectors;
    const int row = thread / Tile::in_vectors * Tile::vector + m * step;
    offsets.push_back(Tile::offset(row, Tile::column_of_piece(i / elements, lane, elements) + i % elements));
  }
  return offsets;
}

// Where they find piece `piece` of their row `i` of y. As store_tile does it.
template <class Tile>
std::vector<int> loaded_offsets(int warp, int i, int piece, int elements) {
  constexpr int step = Tile::threads / Tile::out_vectors;
  std::vector<int> offsets;
  for (int thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    const int lane = thread % Tile::out_vectors;
    offsets.push_back(Tile::offset(Tile::row_of_piece(piece, lane, elements), thread / Tile::out_vectors + i * step));
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

TEMPLATE_LIST_TEST_CASE("every column of a tile belongs to one piece, whatever the pieces", "", tiles) {
  for (int elements = 1; elements <= TestType::vector; elements *= 2) {
    std::multiset<int> columns, rows;
    for (int piece = 0; piece < TestType::vector / elements; ++piece) {
      for (int e = 0; e < elements; ++e) {
        for (int lane = 0; lane < TestType::in_vectors; ++lane) {
          columns.insert(TestType::column_of_piece(piece, lane, elements) + e);
        }
        for (int lane = 0; lane < TestType::out_vectors; ++lane) {
          rows.insert(TestType::row_of_piece(piece, lane, elements) + e);
        }
      }
    }
    const auto is_once_each = [](const std::multiset<int>& found, int count) {
      const std::set<int> different(found.begin(), found.end());
      return static_cast<int>(found.size()) == count && static_cast<int>(different.size()) == count &&
             *found.begin() == 0 && *found.rbegin() == count - 1;
    };
    CHECK(is_once_each(columns, TestType::cols));
    CHECK(is_once_each(rows, TestType::rows));
  }
}

TEMPLATE_LIST_TEST_CASE("vectors meet no bank twice, small pieces at most twice", "", tiles) {
  for (int elements = 1; elements <= TestType::vector; elements *= 2) {
    const int bytes = elements * TestType::element_bytes;
    int stored = 0;
    int loaded = 0;
    for (int warp = 0; warp < TestType::threads / 32; ++warp) {
      for (int m = 0; m < TestType::micro_tiles; ++m) {
        for (int i = 0; i < TestType::vector; ++i) {
          stored = std::max(stored, turns(stored_offsets<TestType>(warp, m, i, elements), 16));
        }
      }
      const int rows_of_y = TestType::cols / (TestType::threads / TestType::out_vectors);
      for (int i = 0; i < rows_of_y; ++i) {
        for (int piece = 0; piece < 16 / bytes; ++piece) {
          loaded = std::max(loaded, turns(loaded_offsets<TestType>(warp, i, piece, elements), bytes));
        }
      }
    }
    INFO("pieces of " << bytes << " bytes");
    CHECK(stored == 1);
    CHECK(loaded <= (bytes == 16 ? 1 : 2));
  }
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

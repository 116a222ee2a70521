// SPDX-License-Identifier: MIT
// The geometry of a skewed tile, by counting: every byte has a place of its own in shared memory, and the warps that
// store meet a bank at most four times, wherever rows start.
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "rowfold/launch/transpose_plan.hpp"
#include "rowfold/memory/transpose_tuning.hpp"
#include "support/check.hpp"
#include "transpose/bank_turns.hpp"

using namespace rowfold;
using rowfold_test::turns;

namespace {

// The tiles that transpose uses, and some that it might.
using tiles = std::tuple<transpose_tiles<1>::skewed, transpose_tiles<2>::skewed, transpose_tiles<4>::skewed,
                         transpose_tiles<8>::skewed, transpose_tiles<2>::large_skewed, transpose_tiles<4>::large_skewed,
                         transpose_tiles<8>::large_skewed, skewed_tile<2, 16, 32, 512>, skewed_tile<1, 8, 8, 256>>;

// Where the threads of a warp put their vectors of the rows that they load in turn `k`. As load_skewed does it.
template <class Tile>
std::vector<int> stored_offsets(int warp, int k) {
  std::vector<int> offsets;
  for (int thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    offsets.push_back(Tile::offset(thread / Tile::in_vectors + k * Tile::in_step, thread % Tile::in_vectors * 16));
  }
  return offsets;
}

// Rows of one side, at their first: elements behind a vector, and from one row to the next.
struct rows_at {
  int start, stride;
};

// Where they find element e of their vectors. As store_skewed does it. y.start: behind a sector.
template <class Tile>
std::vector<int> loaded_offsets(int warp, int e, rows_at x, rows_at y) {
  std::vector<int> offsets;
  for (int thread = warp * 32; thread < warp * 32 + 32; ++thread) {
    const int column = thread / Tile::out_lanes;
    const int top = Tile::above + thread % Tile::out_lanes * Tile::vector - (y.start + column * y.stride) % Tile::above;
    const int behind = (x.start + (top + e) * x.stride) % Tile::vector;
    offsets.push_back(Tile::offset(top + e, (behind + column) * Tile::element_bytes));
  }
  return offsets;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("every byte of a skewed tile has a place of its own", "", tiles) {
  std::vector<int> found(static_cast<std::size_t>(TestType::shared_bytes), 0);
  bool same = true;
  for (int row = 0; row < TestType::staged_rows; ++row) {
    for (int byte = 0; byte < TestType::row_bytes; ++byte) {
      const int offset = TestType::offset(row, byte);
      ++found[static_cast<std::size_t>(offset)];
      same = same && offset == ((row * TestType::row_bytes + byte) ^ TestType::swizzle(row));
    }
  }
  CHECK(std::count(found.begin(), found.end(), 1) == static_cast<std::ptrdiff_t>(found.size()));
  CHECK(same);
}

TEMPLATE_LIST_TEST_CASE("columns of a skewed tile meet no bank twice where their words differ, else in four turns", "",
                        tiles) {
  constexpr int vector = TestType::vector;
  constexpr int size = TestType::element_bytes;
  int stored = 0;
  for (int k = 0; k * TestType::in_step < TestType::staged_rows; ++k) {
    for (int warp = 0; warp < TestType::threads / 32; ++warp) {
      stored = std::max(stored, turns(stored_offsets<TestType>(warp, k), 16));
    }
  }
  CHECK(stored == 1);
  for (int x_stride = 0; x_stride < vector; ++x_stride) {
    for (int y_stride = 0; y_stride < TestType::above; ++y_stride) {
      int loaded = 0;
      for (int start = 0; start < TestType::above; ++start) {
        for (int e = 0; e < vector; ++e) {
          const rows_at x = {start * 3 % vector, x_stride};
          loaded = std::max(loaded, turns(loaded_offsets<TestType>(start % 2, e, x, {start, y_stride}), size));
        }
      }
      // From one column to the next an element lies one further in its row, which is y_stride rows above.
      const int apart = ((1 - x_stride * y_stride) % vector + vector) % vector * size;
      const bool are_different_words = apart == (size == 8 ? 8 : 4) || apart == 12;
      INFO("strides " << x_stride << " " << y_stride);
      CHECK(loaded <= (are_different_words ? 1 : 4));
    }
  }
}

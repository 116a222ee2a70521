// SPDX-License-Identifier: MIT
// Causal columns with offsets near the limits of 64 bits: a row sees all columns or none, and nothing overflows.
#include "rowfold/row/visible_columns.hpp"

#include <limits>
#include <vector>

#include "rowfold/softmax.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;
using rowfold::causal_columns;

namespace {

constexpr int rows = 6;
constexpr int cols = 8;

// How many columns each row sees, as a softmax over equal logits tells: each of n visible ones gets 1 / n.
template <class Columns>
std::vector<int> visible_of(const Columns& columns) {
  buffer<float> x(rows * cols), y(rows * cols);
  x.upload(std::vector<float>(x.size(), 1.0f));
  rowfold::softmax_args<float, float, rowfold::absent, rowfold::absent, Columns> args;
  args.x = x.data();
  args.y = y.data();
  args.rows = rows;
  args.cols = cols;
  args.columns = columns;
  args.masked = rowfold::masked_row::zero;
  require_success(rowfold::softmax(args));
  rowfold_test::sync();
  const std::vector<float> values = y.download();
  std::vector<int> visible(rows);
  for (std::size_t i = 0; i < values.size(); ++i) visible[i / cols] += values[i] > 0 ? 1 : 0;
  return visible;
}

}  // namespace

TEST_CASE("causal columns: offsets near the limits show all columns or none") {
  constexpr long long most = std::numeric_limits<long long>::max();
  constexpr long long least = std::numeric_limits<long long>::min();
  const std::vector<int> all(rows, cols), none(rows, 0);
  for (const long long queries : {1LL, 3LL, 6LL, 1LL << 40}) {
    for (long long distance = 0; distance < 8; ++distance) {
      CAPTURE(queries, distance);
      CHECK(visible_of(causal_columns{queries, most - distance}) == all);
      CHECK(visible_of(causal_columns{queries, least + distance}) == none);
      CHECK(visible_of(causal_columns{queries, (1LL << 31) + 3 - distance}) == all);
      CHECK(visible_of(causal_columns{queries, -(1LL << 31) + 3 - distance}) == none);
    }
  }
  CHECK(visible_of(causal_columns{3, 0}) == std::vector<int>{1, 2, 3, 1, 2, 3});
  CHECK(visible_of(causal_columns{3, -2}) == std::vector<int>{0, 0, 1, 0, 0, 1});
  const rowfold::fewer_columns<causal_columns, causal_columns> both{{3, most}, {6, 1}};
  CHECK(visible_of(both) == std::vector<int>{2, 3, 4, 5, 6, 7});
}

TEST_CASE("causal columns: offsets that kernels can add are left as they are") {
  for (const long long offset :
       {0LL, -5LL, 1000LL, 0x7ffffffeLL, 0x7fffffffLL, std::numeric_limits<long long>::min()}) {
    CHECK(rowfold::prepare_columns(causal_columns{4, offset}).offset == offset);
  }
  CHECK(rowfold::prepare_columns(causal_columns{4, 0x80000000LL}).offset == 0x7fffffffLL);
}

// SPDX-License-Identifier: MIT
// Tensors of more than 2^31 and more than 2^32 elements: where an index of 32 bits wraps around, signed or unsigned,
// back rows are never written or front rows written twice. GPU alone; skipped, and said so, where memory is short.
#include <cstdint>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "support/check.hpp"
#include "support/huge_memory.cuh"

using namespace rowfold_test;

namespace {

constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_32 = std::int64_t{1} << 32;

// All rows are equal values (which become 0), but for a few that are random: those must come out as they do alone.
void check_huge(std::int64_t rows, int cols, bool in_place) {
  INFO(rows << " x " << cols << ", in place " << in_place);
  const std::int64_t count = rows * cols;
  huge_memory x(count);
  if (!x) return;
  huge_memory other(in_place ? 0 : count);
  if (!in_place && !other) return;
  huge_memory& y = in_place ? x : other;
  if (!in_place) other.fill(0xFF);
  x.fill(0x3C);
  std::vector<std::int64_t> special = {0, 1, 2};
  for (const std::int64_t border : {two_31, two_32}) {
    for (std::int64_t row = border / cols - 1; row <= border / cols + 1; ++row) {
      if (row < rows - 8) special.push_back(row);
    }
  }
  for (std::int64_t row = rows - 8; row < rows; ++row) special.push_back(row);
  layer_norm_input alone = normal_rows(half_types, static_cast<std::int64_t>(special.size()), cols);
  alone.gamma.clear();
  alone.beta.clear();
  for (std::size_t i = 0; i < special.size(); ++i) {
    x.set(special[i] * cols, alone.only(static_cast<std::int64_t>(i), 1).x);
  }

  layer_norm_call call;
  call.x = x.data();
  call.y = y.data();
  call.rows = rows;
  call.cols = cols;
  require_success(half_types.run(call));
  sync();
  const std::vector<double> expected = run(alone).y;
  std::vector<double> found;
  for (const std::int64_t row : special) {
    const std::vector<double> values = y.take(row * cols, cols);
    found.insert(found.end(), values.begin(), values.end());
  }
  CHECK(same_bits(found, expected));
  CHECK(count_nonzero(y, count) == 0);
}

}  // namespace

TEST_CASE("more than 2^31 elements") {
  check_huge(524296, 4096, false);
  check_huge(two_31 / 267 + 9, 267, false);
}

TEST_CASE("more than 2^32 elements, in place") {
  check_huge(1048641, 4096, true);
  check_huge(two_32 / 267 + 9, 267, true);
}

TEST_CASE("a few rows more than 2^31 elements apart") {
  const int cols = 100;
  const std::int64_t stride = two_31 + 8;
  huge_memory x(2 * stride + cols);
  if (!x) return;
  const layer_norm_input input = normal_rows(half_types, 3, cols);
  layer_norm_input plain = input;
  plain.gamma.clear();
  plain.beta.clear();
  const std::vector<double> expected = run(plain).y;
  for (const rowfold::row_layout& layout :
       {rowfold::row_layout::strided(stride), rowfold::row_layout::nested(1, 7, stride)}) {
    x.fill(0);
    for (std::int64_t row = 0; row < 3; ++row) x.set(row * stride, plain.only(row, 1).x);
    layer_norm_call call;
    call.x = call.y = x.data();
    call.rows = 3;
    call.cols = cols;
    call.x_layout = call.y_layout = layout;
    require_success(half_types.run(call));
    sync();
    std::vector<double> found;
    for (std::int64_t row = 0; row < 3; ++row) {
      const std::vector<double> values = x.take(row * stride, cols);
      found.insert(found.end(), values.begin(), values.end());
    }
    CHECK(same_bits(found, expected));
    CHECK(count_nonzero(x, 2 * stride + cols) == 0);
  }
}

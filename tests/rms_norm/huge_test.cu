// SPDX-License-Identifier: MIT
// Tensors of more than 2^31 and more than 2^32 elements, and rows that lie so far apart. GPU alone; skipped, and said
// so, where memory is short.
#include <cstdint>
#include <vector>

#include "norms/norm_rows.hpp"
#include "norms/norm_sets.hpp"
#include "support/check.hpp"
#include "support/huge_memory.cuh"

using namespace rowfold_test;

namespace {

constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_32 = std::int64_t{1} << 32;

// Rows of zeros, `stride` elements apart, but for a few that are random: those must come out as they do alone.
void check_huge(std::int64_t rows, int cols, std::int64_t stride, const std::vector<std::int64_t>& special) {
  INFO(rows << " x " << cols << ", stride " << stride);
  const std::int64_t count = (rows - 1) * stride + cols;
  huge_memory x(count);
  if (!x) return;
  x.fill(0);
  norm_input alone = normal_norm_rows(rms_half, static_cast<std::int64_t>(special.size()), cols);
  alone.first.clear();
  alone.second.clear();
  for (std::size_t i = 0; i < special.size(); ++i) {
    const auto first = alone.x.begin() + static_cast<std::ptrdiff_t>(i) * cols;
    x.set(special[i] * stride, {first, first + cols});
  }
  norm_call call;
  call.x = call.y = x.data();
  call.rows = rows;
  call.cols = cols;
  call.x_layout = call.y_layout = rowfold::row_layout::strided(stride);
  require_success(rms_half.run(call));
  rowfold_test::sync();
  const std::vector<double> expected = run(alone).y;
  std::vector<double> found;
  for (const std::int64_t row : special) {
    const std::vector<double> values = x.take(row * stride, cols);
    found.insert(found.end(), values.begin(), values.end());
  }
  CHECK(same_bits(found, expected));
  CHECK(count_nonzero(x, count) == 0);
}

}  // namespace

TEST_CASE("RMSNorm of more than 2^32 elements, in place") {
  for (const int cols : {4096, 267}) {
    const std::int64_t rows = two_32 / cols + 70;
    check_huge(rows, cols, cols, {0, 1, two_31 / cols, two_31 / cols + 1, two_32 / cols, rows - 2, rows - 1});
  }
}

TEST_CASE("RMSNorm of rows more than 2^31 elements apart") { check_huge(3, 100, two_31 + 8, {0, 1, 2}); }

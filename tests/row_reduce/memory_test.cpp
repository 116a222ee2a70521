// SPDX-License-Identifier: MIT
// Where row reductions read and write: nothing but the rows and the results, for any width, address and stride.
// reduce_by() looks after canaries and gaps in every test; here are the shapes that are known to break them, and the
// bytes that plans promise.
#include <cstdint>
#include <vector>

#include "row_reduce/reference.hpp"
#include "support/check.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

void check_right(const rows_input& input, const rows_placement& where = {}) {
  CHECK(compare(input, reduce_all(input, where)).fault == "");
  CHECK(compare(input, reduce_once(input, where)).fault == "");
}

}  // namespace

TEST_CASE("row reduce: odd rows behind one another do not touch their neighbours", "[sanitize]") {
  for (const reduce_types* types : reduce_type_sets()) {
    rows_placement where;
    where.count_bytes = true;
    for (int cols = 1; cols <= 40; ++cols) check_right(normal_rows(*types, 7, cols), where);
    check_right(normal_rows(*types, 7, 769), where);
  }
}

TEST_CASE("x may lie at any element, and the results, too") {
  for (const reduce_types* types : reduce_type_sets()) {
    const rows_input input = normal_rows(*types, 4, sanitized ? 256 : 1024);
    for (const std::size_t elements : {1, 2, 4}) {
      rows_placement where;
      where.count_bytes = true;
      where.x_offset = elements;
      check_right(input, where);
      where.x_offset = 0;
      where.out_offset = elements;
      check_right(input, where);
    }
  }
}

TEST_CASE("rows may be heads of a packed projection, slices of a batch, or one and the same") {
  for (const reduce_types* types : reduce_type_sets()) {
    // The 16 query heads of 128 columns among 16 + 4 heads of each of 4 tokens.
    const rows_input heads = normal_rows(*types, 4 * 16, 128);
    rows_placement where;
    where.count_bytes = true;
    where.x_layout = row_layout::nested(16, 128, 20 * 128);
    const row_reduce_result expected = reduce_all(heads);
    CHECK(same_results(expected, reduce_all(heads, where)));
    where.x_offset = 3;
    CHECK(same_results(expected, reduce_all(heads, where)));
    where = {};
    where.x_layout = row_layout::strided(384);
    check_right(normal_rows(*types, 16, 128), where);
    rows_input same = normal_rows(*types, 3, 100);
    for (std::size_t i = 100; i < same.x.size(); ++i) same.x[i] = same.x[i - 100];
    where.x_layout = row_layout::strided(0);
    check_right(same, where);
  }
}

TEST_CASE("every row is read once; where a variance is asked for, twice if it does not fit") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {64, 100, 1024}) {
      const rows_input input = normal_rows(*types, 3, cols);
      const auto element_bytes = static_cast<std::int64_t>(bytes_of(types->x));
      const std::int64_t row_bytes = 3 * cols * element_bytes;
      rows_placement where;
      where.count_bytes = true;
      const row_reduce_result once = reduce_all(input, where);
      // Each lane also looks at the first element.
      CHECK(once.plan.issued_bytes == once.plan.minimal_bytes + 3 * once.plan.shape.lanes * element_bytes);
      const row_reduce_result streamed = reduce_once(input, where);
      CHECK(streamed.plan.issued_bytes == streamed.plan.minimal_bytes);
      where.request.reread = true;
      const row_reduce_result in_parts = reduce_once(input, where);
      CHECK(in_parts.plan.issued_bytes == in_parts.plan.minimal_bytes);
      const row_reduce_result twice = reduce_all(input, where);
      const bool read_twice = twice.plan.variant == rowfold::row_variant::reread;
      CHECK(twice.plan.issued_bytes == once.plan.issued_bytes + (read_twice ? row_bytes : 0));
      if (cols == 1024) CHECK(read_twice);
    }
  }
}

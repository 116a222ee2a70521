// SPDX-License-Identifier: MIT
// The options of softmax: scale, mask and its layouts, causal masks, lengths. Columns that a row does not see may hold
// anything.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "rowfold/row/visible_columns.hpp"
#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_run.hpp"
#include "support/check.hpp"
#include "support/row_memory.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

// Rows without options but those that a test sets.
softmax_input open_rows(const softmax_set& set, std::int64_t rows, int cols) {
  softmax_input input = normal_logits(set, rows, cols);
  input.mask.assign(set.masked ? input.x.size() : 0, 0.0);
  input.lengths.assign(set.length_bytes != 0 ? static_cast<std::size_t>(rows) : 0, cols);
  input.queries = 1;
  input.offset = cols;
  return input;
}

}  // namespace

TEST_CASE("softmax: scaled with 1 is the same bits as not scaled") {
  for (const int cols : {5, 64, 100, 1000}) {
    softmax_input plain = normal_logits(bfloat16_softmax, 4, cols);
    const softmax_output expected = run(plain);
    plain.set = &bfloat16_causal_softmax;
    plain.scale = 1;
    plain.queries = 1;
    plain.offset = cols;
    CHECK(same_bits(run(plain).y, expected.y));
  }
}

TEST_CASE("softmax: a causal mask hides the columns behind row % queries + offset") {
  for (const softmax_set* set : {&bfloat16_causal_softmax, &float_options_softmax}) {
    for (const int cols : {1, 7, 64, 100, 300}) {
      for (const long long queries : {1, 3, 5}) {
        for (const long long offset : {-4ll, -1ll, 0ll, cols - queries, cols + 0ll, 1ll << 40, -(1ll << 40)}) {
          softmax_input input = open_rows(*set, 7, cols);
          input.queries = queries;
          input.offset = offset;
          input.masked = rowfold::masked_row::zero;
          // Nothing that is hidden may be looked at.
          for (std::int64_t row = 0; row < input.rows; ++row) {
            for (int col = input.visible(row); col < cols; ++col) {
              input.x[static_cast<std::size_t>(row * cols + col)] =
                  (row + col) % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : infinity;
            }
          }
          INFO(set->name << ", " << cols << " columns, " << queries << " queries, offset " << offset);
          softmax_output output = run(input);
          CHECK(compare(input, output).fault == "");
          softmax_placement where;
          where.x_offset = 1;
          CHECK(same_bits(run(input, where).y, output.y));
        }
      }
    }
  }
}

TEST_CASE("softmax: causal_columns says what its two ways mean") {
  const auto corner = rowfold::causal_columns::bottom_right(3, 8);
  CHECK(corner.queries == 3);
  CHECK(corner.offset == 5);  // the last query sees the last key
  const auto top = rowfold::causal_columns::top_left(3);
  CHECK(top.queries == 3);
  CHECK(top.offset == 0);
}

TEST_CASE("softmax: lengths hide what is behind them, whatever it is, and are cut to 0 and cols") {
  for (const softmax_set* set : softmax_sets()) {
    if (set->length_bytes == 0) continue;
    for (const int cols : {1, 8, 33, 64, 200}) {
      softmax_input input = open_rows(*set, 6, cols);
      input.masked = rowfold::masked_row::zero;
      input.lengths = {cols, 0, 1, -5, cols + 7, (cols + 1) / 2};
      if (set->length_bytes == 8) input.lengths[3] = -(1ll << 40);
      for (std::int64_t row = 0; row < input.rows; ++row) {
        for (int col = input.visible(row); col < cols; ++col) {
          input.x[static_cast<std::size_t>(row * cols + col)] = col % 2 == 0 ? infinity : std::nan("");
        }
      }
      const softmax_output output = run(input);
      INFO(set->name << ", " << cols << " columns");
      CHECK(compare(input, output).fault == "");
      // The visible part has the bits of a row that is as wide and padded with -inf.
      softmax_input padded = input;
      for (std::int64_t row = 0; row < input.rows; ++row) {
        for (int col = input.visible(row); col < cols; ++col) {
          padded.x[static_cast<std::size_t>(row * cols + col)] = -infinity;
        }
        padded.lengths[static_cast<std::size_t>(row)] = cols;
      }
      CHECK(same_bits(run(padded).y, output.y));
    }
  }
}

TEST_CASE("softmax: a mask may be repeated over rows, by a stride of 0 or by nested rows") {
  for (const softmax_set* set : softmax_sets()) {
    if (!set->masked) continue;
    for (const int cols : {8, 64, 100}) {
      softmax_input input = open_rows(*set, 12, cols);
      const auto n = static_cast<std::size_t>(cols);
      for (std::size_t i = 0; i < input.mask.size(); ++i)
        input.mask[i] = i % 5 == 0 ? -infinity : 0.25 * static_cast<double>(i % 11);
      const auto repeat = [&](auto source_row) {
        softmax_input repeated = input;
        for (std::size_t row = 0; row < 12; ++row) {
          for (std::size_t col = 0; col < n; ++col)
            repeated.mask[row * n + col] = input.mask[source_row(row) * n + col];
        }
        return repeated;
      };
      const auto check = [&](const char* name, const row_layout& layout, const softmax_input& repeated,
                             std::int64_t distinct) {
        softmax_placement where;
        where.name = name;
        where.mask_layout = layout;
        const softmax_output output = run(repeated, where);
        INFO(set->name << ", " << cols << " columns, " << name);
        CHECK(compare(repeated, output).fault == "");
        CHECK(same_bits(run(repeated).y, output.y));
        const rowfold::row_plan plain = run(repeated).plan;
        CHECK(plain.minimal_bytes - output.plan.minimal_bytes ==
              (12 - distinct) * cols * static_cast<std::int64_t>(bytes_of(set->mask)));
      };
      check("one row for all", row_layout::strided(0), repeat([](std::size_t) { return std::size_t{0}; }), 1);
      check("one block of queries for all heads", row_layout::nested(4, cols, 0),
            repeat([](std::size_t row) { return row % 4; }), 4);
      check("one row for each sequence", row_layout::nested(6, 0, cols),
            repeat([](std::size_t row) { return row / 6; }), 2);
    }
  }
}

TEST_CASE("softmax: a mask of -inf hides finite values, and large finite masks are added as they are") {
  for (const softmax_set* set : softmax_sets()) {
    if (!set->masked) continue;
    softmax_input input = open_rows(*set, 4, 100);
    input.masked = rowfold::masked_row::zero;
    const double large = set->mask == element::bfloat16  ? -0x1.fep127
                         : set->mask == element::float32 ? -0x1.fffffep127
                                                         : -std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < 100; ++i) {
      input.mask[i] = -infinity;                        // row 0: all hidden
      input.mask[100 + i] = i < 50 ? -infinity : 0;     // row 1: half of it
      input.mask[200 + i] = i % 2 == 0 ? large : 0;     // row 2: hidden by a number
      input.mask[300 + i] = i == 3 ? std::nan("") : 0;  // row 3: NaN
    }
    const softmax_output output = run(input);
    CHECK(compare(input, output).fault == "");
    CHECK(output.y[0] == 0);
    CHECK(output.y[149] == 0);
    CHECK(output.y[200] == 0);
    CHECK(output.y[201] > 0);
    CHECK(std::isnan(output.y[300]));
  }
}

// SPDX-License-Identifier: MIT
// Where softmax reads and writes: nothing but the rows, for any width, address and stride. run() looks after canaries
// and gaps in every test; here are the shapes that are known to break them.
#include <cstdint>
#include <vector>

#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_run.hpp"
#include "support/check.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

void check_right(const softmax_input& input, const softmax_placement& where = {}) {
  CHECK(compare(input, run(input, where)).fault == "");
}

}  // namespace

TEST_CASE("softmax: odd rows behind one another do not touch their neighbours", "[sanitize]") {
  for (const softmax_set* set : softmax_sets()) {
    for (int cols = 1; cols <= 40; cols += sanitized ? 3 : 1) {
      const softmax_input input = normal_logits(*set, 7, cols);
      const softmax_output first = run(input);
      CHECK(compare(input, first).fault == "");
      CHECK(same_bits(first.y, run(input).y));
    }
    check_right(normal_logits(*set, 7, 769));
  }
}

TEST_CASE("softmax: each tensor may lie at any element, and the plan's bytes are those that are moved") {
  for (const softmax_set* set : softmax_sets()) {
    const softmax_input input = normal_logits(*set, 4, sanitized ? 256 : 520);
    for (std::size_t softmax_placement::*offset :
         {&softmax_placement::x_offset, &softmax_placement::y_offset, &softmax_placement::mask_offset,
          &softmax_placement::log_sum_exp_offset, &softmax_placement::lengths_offset}) {
      for (const std::size_t elements : {0, 1, 2, 4}) {
        for (const bool reread : {false, true}) {
          softmax_placement where;
          where.*offset = elements;
          where.count_bytes = true;
          where.request.reread = reread;
          const softmax_output output = run(input, where);
          INFO(set->name << ", " << elements << " elements, reread " << reread);
          CHECK(compare(input, output).fault == "");
          if (on_cpu) CHECK(output.issued_bytes == output.plan.issued_bytes);
        }
      }
    }
  }
}

TEST_CASE("softmax: rows may be heads of a packed tensor or slices of a batch") {
  for (const softmax_set* set : softmax_sets()) {
    const softmax_input heads = normal_logits(*set, 2 * 6, 128);
    const softmax_output expected = run(heads);
    CHECK(compare(heads, expected).fault == "");
    softmax_placement where;
    where.name = "heads";
    where.x_layout = row_layout::nested(6, 128, 8 * 128);
    CHECK(same_bits(run(heads, where).y, expected.y));
    where.y_layout = where.x_layout;
    where.x_offset = 3;
    CHECK(same_bits(run(heads, where).y, expected.y));
    if (set->x == set->y) {
      where.in_place = true;
      CHECK(same_bits(run(heads, where).y, expected.y));
    }
    where = {};
    where.name = "slices";
    where.x_layout = where.y_layout = where.mask_layout = row_layout::strided(384);
    CHECK(same_bits(run(heads, where).y, expected.y));
  }
}

TEST_CASE("softmax: rows that are one and the same in memory are read as often as there are rows") {
  for (const softmax_set* set : softmax_sets()) {
    softmax_input input = normal_logits(*set, 3, 100);
    for (std::size_t i = 100; i < input.x.size(); ++i) input.x[i] = input.x[i - 100];
    softmax_placement where;
    where.name = "stride 0";
    where.x_layout = row_layout::strided(0);
    check_right(input, where);
  }
}

// SPDX-License-Identifier: MIT
// The bits of a gated activation: the same in every kernel, at every address and stride, in place, and whichever way
// gate and value lie.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gated_activation/gated_run.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

// Widths: less than a granule, whole and partial granules, one part of a row and several, more than a block stages.
std::vector<int> widths(const gated_op& op) {
  const int g = op.granule();
  if (op.checking()) return {1, 2, 33, 130};
  std::vector<int> list = {1, g - 1, g, g + 1, 8 * g, 9 * g, 33 * g, 65 * g, 64 * g + 1, 257 * g};
  if (!few_gated_widths) list.insert(list.end(), {1030 * g, 13001});
  list.erase(std::remove_if(list.begin(), list.end(), [](int cols) { return cols < 1; }), list.end());
  return list;
}

// Every kernel that a plan can ask for.
std::vector<gated_placement> variants() {
  std::vector<gated_placement> list;
  for (const int variant : {0, 1, 2, 3}) {
    gated_placement where;
    where.request.staged = variant == 1;
    where.request.reread = variant == 2;
    where.request.any_access = variant == 3;
    list.push_back(where);
  }
  return list;
}

}  // namespace

TEST_CASE("gated activations: every kernel gives the same bits", "[race][sanitize]") {
  for (const gated_op& op : gated_ops()) {
    std::map<rowfold::row_variant, int> seen;
    for (const int cols : widths(op)) {
      const gated_input in = normal_gates(cols > 300 ? 2 : 5, cols);
      const gated_output expected = run(op, in);
      CHECK(judge(op, in, expected.y).fault == "");
      const bool aligned = cols % op.granule() == 0 && !op.checking();
      CHECK((expected.plan.variant == rowfold::row_variant::streamed) == aligned);
      for (gated_placement where : variants()) {
        const gated_output found = run(op, in, where);
        ++seen[found.plan.variant];
        INFO(op.name << ", " << cols << " columns, " << where.text());
        CHECK(same_bits(expected.y, found.y));
      }
      for (const int lanes : {1, 2, 4, 8, 16, 32, 64, 256}) {
        if (cols > 300) continue;
        gated_placement where;
        where.request.lanes = lanes;
        INFO(op.name << ", " << cols << " columns, " << where.text());
        CHECK(same_bits(expected.y, run(op, in, where).y));
      }
      gated_placement brief;
      brief.short_call = true;
      CHECK(same_bits(expected.y, run(op, in, brief).y));
    }
    CHECK(seen[rowfold::row_variant::staged] > 0);
    CHECK(seen[rowfold::row_variant::reread] > 0);
    if (!op.checking()) CHECK(seen[rowfold::row_variant::streamed] > 0);
  }
}

TEST_CASE("gated activations: any address and stride", "[sanitize]") {
  for (const gated_op& op : gated_ops()) {
    for (const int cols : {3, 64, 75}) {
      const gated_input in = normal_gates(5, cols);
      const gated_output expected = run(op, in);
      for (const gated_layout layout : gated_layouts) {
        for (gated_layout gated_placement::*tensor :
             {&gated_placement::gate, &gated_placement::value, &gated_placement::y}) {
          gated_placement where;
          where.*tensor = layout;
          INFO(op.name << ", " << cols << " columns, " << where.text());
          CHECK(same_bits(expected.y, run(op, in, where).y));
        }
      }
      for (std::size_t gated_placement::*tensor :
           {&gated_placement::gate_offset, &gated_placement::value_offset, &gated_placement::y_offset}) {
        for (const std::size_t offset : {1, 2, 3, 4, 8}) {
          gated_placement where;
          where.*tensor = offset;
          INFO(op.name << ", " << cols << " columns, " << where.text());
          CHECK(same_bits(expected.y, run(op, in, where).y));
        }
      }
    }
  }
}

TEST_CASE("gated activations: in place", "[race][sanitize]") {
  for (const gated_op& op : gated_ops()) {
    int checked = 0;
    for (const int cols : {3, 8 * op.granule(), 33 * op.granule(), 135, 2049}) {
      if (op.checking() && cols > 135) continue;
      const gated_input in = normal_gates(3, cols);
      const gated_output expected = run(op, in);
      for (const gated_target target : {gated_target::over_gate, gated_target::over_value}) {
        if (!may_lie(op, target)) continue;
        for (const gated_layout layout : {gated_layout::packed, gated_layout::padded}) {
          for (gated_placement where : variants()) {
            where.target = target;
            where.gate = where.value = layout;
            INFO(op.name << ", " << cols << " columns, " << where.text());
            CHECK(same_bits(expected.y, run(op, in, where).y));
            ++checked;
          }
        }
      }
    }
    CHECK((checked > 0) == (may_lie(op, gated_target::over_gate) || may_lie(op, gated_target::over_value)));
  }
}

TEST_CASE("gated activations: the same bits however gate and value lie, and whatever rows are beside") {
  const gated_list ops = gated_float_ops();
  for (const int cols : {1, 24, 100, 1032}) {
    const gated_input in = normal_gates(7, cols);
    const gated_output expected = run(ops[0], in);
    for (const gated_op& op : ops) {
      INFO(op.name << ", " << cols << " columns");
      CHECK(same_bits(expected.y, run(op, in).y));
      for (std::ptrdiff_t row = 0; row < in.rows; ++row) {
        const auto only = [&](const std::vector<double>& values) {
          return std::vector<double>(values.begin() + row * cols, values.begin() + (row + 1) * cols);
        };
        CHECK(same_bits(only(expected.y), run(op, {1, cols, only(in.gate), only(in.value)}).y));
      }
    }
  }
}

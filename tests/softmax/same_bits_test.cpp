// SPDX-License-Identifier: MIT
// The same row gives the same bits, whichever kernel serves it, wherever its tensors lie, whatever rows are beside it,
// in place or not, as often as it is asked.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_run.hpp"
#include "support/check.hpp"
#include "support/variants.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

void check_same(const softmax_output& expected, const softmax_output& found, const char* what) {
  INFO(what);
  CHECK(same_bits(expected.y, found.y));
  if (!found.log_sum_exp.empty()) CHECK(same_bits(expected.log_sum_exp, found.log_sum_exp));
}

// The narrowest rows that each kernel serves.
std::map<std::string, int> width_of_each_kernel(const softmax_set& set) {
  std::map<std::string, int> widths;
  alignas(16) static double aligned[2] = {};  // a plan needs addresses only
  for (int cols = 1; cols <= 1100 * set.granule(); cols += cols < 64 ? 1 : set.granule()) {
    softmax_call call;
    call.x = call.mask = call.lengths = aligned;
    call.y = aligned;
    call.rows = 3;
    call.cols = cols;
    widths.emplace(kernel_of(set.plan(call)), cols);
  }
  return widths;
}

// Each alignment of each tensor, and layouts.
std::vector<softmax_placement> places(const softmax_set& set, int cols) {
  std::vector<softmax_placement> list;
  for (std::size_t offset = 1; offset < static_cast<std::size_t>(set.granule()); ++offset) {
    softmax_placement where;
    where.name = "x off";
    where.x_offset = offset;
    list.push_back(where);
    where.name = "x off, reread";
    where.request.reread = true;
    list.push_back(where);
    where = {};
    where.name = "y off";
    where.y_offset = offset;
    list.push_back(where);
    where = {};
    where.name = "mask and lengths off";
    where.mask_offset = where.lengths_offset = offset;
    list.push_back(where);
    where.name = "all off differently";
    where.x_offset = offset + 1;
    where.y_offset = offset + 2;
    where.log_sum_exp_offset = 3;
    list.push_back(where);
  }
  const auto add = [&](const char* name, const row_layout& x, const row_layout& y, const row_layout& mask) {
    softmax_placement where;
    where.name = name;
    where.x_layout = x;
    where.y_layout = y;
    where.mask_layout = mask;
    list.push_back(where);
  };
  const int aligned = (cols + set.granule() - 1) / set.granule() * set.granule();
  add("x strided by whole granules", row_layout::strided(aligned + set.granule()), {}, row_layout::strided(aligned));
  add("y strided by one element more", {}, row_layout::strided(cols + 1), row_layout::strided(cols + 3));
  add("strided, backwards", row_layout::strided(-aligned - 3), row_layout::strided(-cols), row_layout::strided(-cols));
  add("nested", row_layout::nested(2, cols + 5, 3 * cols + 20), row_layout::nested(3, cols, -4 * cols),
      row_layout::nested(2, cols, 2 * cols + 1));
  softmax_placement where;
  where.name = "no log-sum-exp";
  where.log_sum_exp = false;
  list.push_back(where);
  if (set.plain()) {
    where.name = "short call";
    where.short_call = true;
    list.push_back(where);
  }
  if (set.x == set.y) {
    where = {};
    where.name = "in place";
    where.in_place = true;
    list.push_back(where);
    where.name = "in place, reread";
    where.request.reread = true;
    list.push_back(where);
    where.name = "in place, off, strided, reread";
    where.x_offset = 1;
    where.x_layout = row_layout::strided(cols + 3);
    list.push_back(where);
  }
  return list;
}

}  // namespace

TEST_CASE("softmax: every kernel gives the bits of the other kernels", "[race][sanitize]") {
  for (const softmax_set* set : all_softmax_sets()) {
    INFO(set->name);
    std::set<std::string> kernels;
    for (const auto& [kernel, cols] : width_of_each_kernel(*set)) {
      const softmax_input input = normal_logits(*set, 3, cols);
      const softmax_output expected = run(input);
      kernels.insert(kernel_of(expected.plan));
      CHECK(compare(input, expected).fault == "");
      for (int i = 0; i < 5; ++i) {
        softmax_placement where;
        where.name = "asked for";
        where.request.any_access = i == 0 || i == 1;
        where.request.reread = i == 1 || i == 2;
        where.request.staged = i == 3;
        where.log_sum_exp = i != 4;
        if (i == 4) where.request.block_threads = 32;
        const softmax_output found = run(input, where);
        kernels.insert(kernel_of(found.plan));
        check_same(expected, found, kernel.c_str());
      }
    }
    std::set<std::string> all = {"staged any"};
    if (set->statistic() == element::float32) {
      all = {"staged whole", "staged any", "warp 2", "warp 4", "block 4"};
      if (set->granule() >= 8) all.insert("four lanes");
    }
    CHECK(kernels == all);
  }
}

TEST_CASE("softmax: bits do not depend on the variant, the addresses, the strides, or on y being x") {
  for (const softmax_set* set : all_softmax_sets()) {
    for (const int cols : {1, 3, 8, 33, 64, 65, 100, 257, 520, 1000, 1024, 3000}) {
      if (set->statistic() == element::float64 && cols > 100) continue;  // one kernel serves all of its widths
      if (sanitized && cols > 300) continue;
      const softmax_input input = normal_logits(*set, cols <= 600 ? 3 : 1, cols, 3);
      const softmax_output expected = run(input);
      std::vector<softmax_placement> list = kernel_variants<softmax_placement>();
      const std::vector<softmax_placement> moved = places(*set, cols);
      const std::size_t step = cols <= 33 ? 1 : cols <= 600 ? 3 : 7;
      for (std::size_t i = static_cast<std::size_t>(cols) % step; i < moved.size(); i += step) list.push_back(moved[i]);
      for (const softmax_placement& where : list) {
        INFO(set->name << ", " << cols << " columns, x offset " << where.x_offset << ", y offset " << where.y_offset);
        check_same(expected, run(input, where), where.name);
      }
    }
  }
}

TEST_CASE("softmax: bits do not depend on which rows are beside a row, nor on how often it is run") {
  for (const softmax_set* set : all_softmax_sets()) {
    for (const int cols : {5, 64, 129, 520}) {
      softmax_input input = normal_logits(*set, 40, cols);
      input.queries = 4;
      const softmax_output expected = run(input);
      check_same(expected, run(input), "run again");
      const auto n = static_cast<std::ptrdiff_t>(cols);
      for (const std::ptrdiff_t first : {0, 4, 16, 36}) {
        for (const std::int64_t count : {1, 23}) {
          if (first + count > input.rows) continue;
          INFO(set->name << ", " << cols << " columns, rows from " << first << ", " << count << " of them");
          const softmax_output part = run(input.only(first, count));
          CHECK(same_bits(part.y, {expected.y.begin() + first * n, expected.y.begin() + (first + count) * n}));
          CHECK(same_bits(part.log_sum_exp,
                          {expected.log_sum_exp.begin() + first, expected.log_sum_exp.begin() + first + count}));
        }
      }
    }
  }
}

TEST_CASE("softmax: another number of lanes is another fold shape: other bits, and as right") {
  int differ = 0;
  for (const softmax_set* set : all_softmax_sets()) {
    for (const int lanes : {1, 2, 8, 32, 64, 96, 512}) {
      INFO(set->name << ", " << lanes << " lanes");
      const softmax_input input = normal_logits(*set, 3, lanes < 8 ? 40 : 1000);
      const softmax_output expected = run(input);
      softmax_placement where;
      where.request.lanes = lanes;
      const softmax_output found = run(input, where);
      CHECK(found.plan.shape.lanes == lanes);
      CHECK(found.plan.shape_is_default == (lanes == expected.plan.shape.lanes));
      CHECK(compare(input, found).fault == "");
      if (found.plan.shape_is_default) check_same(expected, found, "the default number of lanes");
      differ += !same_bits(found.y, expected.y) || !same_bits(found.log_sum_exp, expected.log_sum_exp);
    }
  }
  CHECK(differ > 0);  // else this test would not know an override from the default
}

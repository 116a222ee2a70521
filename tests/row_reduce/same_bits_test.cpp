// SPDX-License-Identifier: MIT
// The same row gives the same bits, whichever kernel serves it, wherever it lies, whatever rows are beside it,
// whichever statistics are asked for with it, as often as it is asked.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "row_reduce/reference.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "support/check.hpp"
#include "support/variants.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

// Which of the library's kernels a plan runs.
std::string kernel_of(const reduce_types& types, const rowfold::row_plan& plan) {
  const std::string access = plan.access == rowfold::row_access::whole ? " whole" : " any";
  if (plan.variant == rowfold::row_variant::reread) return "reread" + access;
  if (plan.variant == rowfold::row_variant::staged) return "staged" + access;
  if (plan.variant == rowfold::row_variant::streamed) return plan.shape.lanes > 32 ? "streamed block" : "streamed warp";
  if (types.granule() == 8 && plan.shape.lanes == 4 && plan.problem.cols == 64) return "four lanes";
  return (plan.shape.lanes > 32 ? "block " : "warp ") + std::to_string(plan.vectors);
}

std::vector<rows_placement> variations(const reduce_types& types, int cols) {
  std::vector<rows_placement> list = kernel_variants<rows_placement>();
  const auto add = [&](const char* name, const rows_placement& where) {
    list.push_back(where);
    list.back().name = name;
  };
  rows_placement where;
  for (std::size_t offset = 1; offset < static_cast<std::size_t>(types.granule()); ++offset) {
    where = {};
    where.x_offset = offset;
    where.out_offset = offset;
    add("x and the results off", where);
    where.request.reread = true;
    add("x and the results off, reread", where);
  }
  where = {};
  where.x_layout = row_layout::strided(cols + 1);
  add("strided by one element more", where);
  where.x_layout = row_layout::strided(-(cols + types.granule() - 1) / types.granule() * types.granule());
  add("strided backwards", where);
  where.x_layout = row_layout::nested(2, cols + 5, 3 * cols + 20);
  add("nested", where);
  return list;
}

}  // namespace

TEST_CASE("row reduce: every kernel gives the bits of the other kernels", "[race][sanitize]") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const bool once : {false, true}) {
      INFO(types->name << ", folded once: " << once);
      const auto reduce = once ? reduce_once : reduce_all;
      std::set<std::string> kernels;
      // The narrowest rows that each kernel serves, and some that are read in parts.
      std::map<std::string, int> widths = {{"reread whole", 520}, {"reread any", 521}};
      for (int cols = 1; cols <= 3000; ++cols) {
        rowfold::row_problem problem;
        problem.rows = 3;
        problem.cols = cols;
        problem.granule = types->granule();
        problem.accumulate_bytes = static_cast<int>(bytes_of(types->accumulate()));
        problem.fold_passes = once ? 1 : 2;
        problem.stores_rows = false;
        rowfold::operand x;
        x.name = "x";
        x.element_bytes = static_cast<int>(bytes_of(types->x));
        x.layout = rowfold::row_layout{}.resolved(cols);
        problem.add(x);
        widths.emplace(kernel_of(*types, rowfold::make_row_plan(problem, {})), cols);
      }
      for (const auto& [kernel, cols] : widths) {
        const rows_input input = normal_rows(*types, 3, cols);
        const row_reduce_result expected = reduce(input, {});
        kernels.insert(kernel_of(*types, expected.plan));
        CHECK(compare(input, expected).fault == "");
        rowfold::plan_request requests[4];
        requests[0].any_access = true;
        requests[1].reread = true;
        requests[2].any_access = requests[2].reread = true;
        requests[3].staged = true;
        for (const rowfold::plan_request& request : requests) {
          rows_placement where;
          where.name = "asked for";
          where.request = request;
          const row_reduce_result found = reduce(input, where);
          kernels.insert(kernel_of(*types, found.plan));
          INFO(kernel << ", " << cols << " columns");
          CHECK(same_results(expected, found));
        }
      }
      std::set<std::string> all = {"staged any", "reread any"};
      if (types->x != element::float64) {
        if (once) {
          all.insert({"streamed warp", "streamed block"});
        } else {
          all.insert({"staged whole", "reread whole", "warp 2", "warp 4", "block 4"});
          if (types->granule() == 8) all.insert({"warp 3", "warp 5", "four lanes"});
        }
      }
      CHECK(kernels == all);
    }
  }
}

TEST_CASE("bits do not depend on the variant, the addresses and the strides") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {1, 3, 8, 33, 64, 65, 100, 257, 520, 1000, 1024, 2560, 5120, 10248}) {
      if (types->x == element::float64 && cols > 100) continue;  // one kernel serves all of its widths
      if (sanitized && cols > 600) continue;
      const rows_input input = cols <= 600 ? all_hard_rows(*types, cols) : normal_rows(*types, 2, cols);
      const row_reduce_result expected = reduce_all(input);
      const row_reduce_result expected_once = reduce_once(input);
      const std::vector<rows_placement> list = variations(*types, cols);
      const std::size_t step = cols <= 64 ? 1 : cols <= 600 ? 3 : 5;
      for (std::size_t i = static_cast<std::size_t>(cols) % step; i < list.size(); i += step) {
        INFO(types->name << ", " << cols << " columns, " << list[i].name << ", offset " << list[i].x_offset);
        CHECK(same_results(expected, reduce_all(input, list[i])));
        CHECK(same_results(expected_once, reduce_once(input, list[i])));
      }
    }
  }
}

TEST_CASE("bits do not depend on which statistics are asked for, but for the variance") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {1, 7, 64, 100, 257, 1024, 2561}) {
      if (sanitized && cols > 600) continue;
      const rows_input input = all_hard_rows(*types, cols);
      INFO(types->name << ", " << cols << " columns");
      CHECK(same_results(reduce_all(input), reduce_by(types->mean_variance, input)));
      if (types->one_by_one == nullptr || cols > 257) continue;
      const row_reduce_result together = reduce_once(input);
      row_reduce_result single = reduce_by(types->one_by_one, input);
      CHECK(same_bits(single.of(rowfold::statistic_kind::variance),
                      reduce_all(input).of(rowfold::statistic_kind::variance)));
      for (std::size_t i = 0; i < statistic_count; ++i)
        CHECK(single.value[i].size() == static_cast<std::size_t>(input.rows));
      CHECK(same_results(together, single));
    }
  }
}

TEST_CASE("row reduce: bits do not depend on which rows are beside a row, nor on how often it is run") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {5, 64, 129, 520}) {
      const rows_input input = normal_rows(*types, 40, cols);
      const row_reduce_result expected = reduce_all(input);
      CHECK(same_results(expected, reduce_all(input)));
      for (const std::int64_t first : {0, 1, 17, 39}) {
        for (const std::int64_t count : {1, 23}) {
          if (first + count > input.rows) continue;
          INFO(types->name << ", " << cols << " columns, rows from " << first << ", " << count << " of them");
          row_reduce_result part = expected;
          for (std::vector<double>& values : part.value) {
            values = {values.begin() + first, values.begin() + first + count};
          }
          CHECK(same_results(part, reduce_all(input.only(first, count))));
        }
      }
    }
  }
}

TEST_CASE("row reduce: another number of lanes is another fold shape: other bits, and as right") {
  int differ = 0;
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int lanes : {1, 2, 8, 32, 64, 96, 512}) {
      INFO(types->name << ", " << lanes << " lanes");
      const rows_input input = normal_rows(*types, 3, lanes < 8 ? 40 : 1000);
      const row_reduce_result expected = reduce_all(input);
      rows_placement where;
      where.request.lanes = lanes;
      const row_reduce_result found = reduce_all(input, where);
      CHECK(found.plan.shape.lanes == lanes);
      CHECK(found.plan.shape_is_default == (lanes == expected.plan.shape.lanes));
      CHECK(compare(input, found).fault == "");
      if (found.plan.shape_is_default) CHECK(same_results(expected, found));
      differ += !same_results(expected, found);
    }
  }
  CHECK(differ > 0);  // else this test would not know an override from the default
}

// SPDX-License-Identifier: MIT
// The same row gives the same bits, whichever kernel serves it, wherever its tensors lie, whatever rows are beside it,
// in place or not, as often as it is asked.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "layer_norm/reference.hpp"
#include "support/check.hpp"
#include "support/variants.hpp"

using namespace rowfold_test;
using rowfold::row_layout;

namespace {

void check_same(const layer_norm_output& expected, const layer_norm_output& found, const char* what) {
  INFO(what);
  CHECK(same_bits(expected.y, found.y));
  if (!found.mean.empty()) {
    CHECK(same_bits(expected.mean, found.mean));
    CHECK(same_bits(expected.rstd, found.rstd));
  }
}

std::vector<placement> alignments(const type_set& types) {
  std::vector<placement> list;
  for (std::size_t offset = 1; offset < static_cast<std::size_t>(types.granule()); ++offset) {
    placement where;
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
    where.name = "gamma and beta off";
    where.gamma_offset = offset;
    where.beta_offset = 8 - offset;
    list.push_back(where);
    where = {};
    where.name = "x and y off differently, and mean and rstd";
    where.x_offset = offset;
    where.y_offset = offset + 1;
    where.mean_offset = 1;
    where.rstd_offset = 3;
    list.push_back(where);
  }
  return list;
}

std::vector<placement> layouts(const type_set& types, int cols) {
  std::vector<placement> list;
  const auto add = [&](const char* name, const row_layout& x, const row_layout& y) {
    placement where;
    where.name = name;
    where.x_layout = x;
    where.y_layout = y;
    list.push_back(where);
  };
  const int granule = types.granule();
  const int aligned = (cols + granule - 1) / granule * granule;
  add("x strided by whole granules", row_layout::strided(aligned + granule), {});
  add("y strided by one element more", {}, row_layout::strided(cols + 1));
  add("both strided, backwards", row_layout::strided(-aligned - 3), row_layout::strided(-cols));
  add("nested", row_layout::nested(2, cols + 5, 3 * cols + 20), row_layout::nested(3, cols, -4 * cols));
  placement where;
  where.name = "no statistics";
  where.statistics = false;
  list.push_back(where);
  where.name = "short call";
  where.short_call = true;
  list.push_back(where);
  if (types.x == types.y) {
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

// Narrow rows run with every variation; wide ones, where a run costs more, with some of them.
std::vector<placement> variations(const type_set& types, int cols) {
  std::vector<placement> list = kernel_variants<placement>();
  for (const placement& where : layouts(types, cols)) list.push_back(where);
  const std::vector<placement> moved = alignments(types);
  const std::size_t step = cols <= 64 ? 2 : cols <= 600 ? 7 : 13;
  for (std::size_t i = static_cast<std::size_t>(cols) % step; i < moved.size(); i += step) list.push_back(moved[i]);
  return list;
}

layer_norm_input rows_for_bits(const type_set& types, int cols) {
  layer_norm_input input = normal_rows(types, cols <= 1100 ? 3 : 1, cols, static_cast<std::uint64_t>(cols));
  for (int i = 0; i < cols; ++i) input.x[input.x.size() - 1 - static_cast<std::size_t>(i)] += 100;
  return input;
}

// The narrowest rows that each kernel serves.
std::map<std::string, int> width_of_each_kernel(const type_set& types) {
  std::map<std::string, int> widths;
  for (int cols = 1; cols <= 3000; ++cols) {
    layer_norm_call call;
    alignas(16) static const double aligned[2] = {};  // a plan needs addresses only
    call.x = aligned;
    call.y = const_cast<double*>(aligned);
    call.gamma = call.beta = aligned;
    call.rows = 3;
    call.cols = cols;
    widths.emplace(kernel_of(types.plan(call)), cols);
  }
  return widths;
}

}  // namespace

TEST_CASE("every kernel gives the bits of the other kernels", "[race][sanitize]") {
  for (const type_set* types : type_sets()) {
    INFO(types->name);
    std::set<std::string> kernels;
    std::map<std::string, int> widths = width_of_each_kernel(*types);
    widths.emplace("staged whole", 320);
    widths.emplace("staged any", 201);
    widths.emplace("block 4", 192 * types->granule());  // asked for: the call is small
    for (const auto& [kernel, cols] : widths) {
      const layer_norm_input input = normal_rows(*types, 3, cols);
      const layer_norm_output expected = run(input);
      kernels.insert(kernel_of(expected.plan));
      CHECK(compare(input, expected).fault == "");
      rowfold::plan_request requests[5];
      requests[0].any_access = true;
      requests[1].reread = true;
      requests[2].any_access = requests[2].reread = true;
      requests[3].staged = true;
      requests[4].late_parameters = true;
      for (const rowfold::plan_request& request : requests) {
        placement where;
        where.name = "asked for";
        where.request = request;
        const layer_norm_output found = run(input, where);
        kernels.insert(kernel_of(found.plan));
        check_same(expected, found, kernel.c_str());
      }
    }
    std::set<std::string> all = {"staged any"};
    if (types->x != element::float64) {
      all = {"staged whole", "staged any", "warp 2", "warp 4", "block 4", "block 4 early"};
      if (types->granule() == 8) all.insert({"warp 3", "warp 5", "four lanes"});
    }
    CHECK(kernels == all);
  }
}

TEST_CASE("bits do not depend on the variant, the addresses, the strides, or on y being x") {
  for (const type_set* types : type_sets()) {
    for (const int cols : {1, 3, 8, 33, 64, 65, 100, 257, 520, 1000, 1024, 2560, 5120, 10248}) {
      if (types->x == element::float64 && cols > 100) continue;  // one kernel serves all of its widths
      if (sanitized && cols > 1100) continue;
      const layer_norm_input input = rows_for_bits(*types, cols);
      const layer_norm_output expected = run(input);
      for (const placement& where : variations(*types, cols)) {
        INFO(types->name << ", " << cols << " columns, x offset " << where.x_offset << ", y offset " << where.y_offset);
        check_same(expected, run(input, where), where.name);
      }
    }
  }
}

TEST_CASE("bits do not depend on which rows are beside a row, nor on how often it is run") {
  for (const type_set* types : type_sets()) {
    for (const int cols : {5, 64, 129, 520}) {
      const layer_norm_input input = normal_rows(*types, 40, cols);
      const layer_norm_output expected = run(input);
      check_same(expected, run(input), "run again");
      const auto n = static_cast<std::ptrdiff_t>(cols);
      for (const std::ptrdiff_t first : {0, 1, 17, 39}) {
        for (const std::int64_t count : {1, 23}) {
          if (first + count > input.rows) continue;
          INFO(types->name << ", " << cols << " columns, rows from " << first << ", " << count << " of them");
          const layer_norm_output part = run(input.only(first, count));
          CHECK(same_bits(part.y, {expected.y.begin() + first * n, expected.y.begin() + (first + count) * n}));
          CHECK(same_bits(part.mean, {expected.mean.begin() + first, expected.mean.begin() + first + count}));
        }
      }
    }
  }
}

TEST_CASE("another number of lanes is another fold shape: other bits, and as right") {
  int differ = 0;
  for (const type_set* types : type_sets()) {
    // A lane's own sum is added up one by one, so few lanes get few columns: the bounds are those of the default shape.
    for (const int lanes : {1, 2, 8, 32, 64, 96, 512}) {
      INFO(types->name << ", " << lanes << " lanes");
      const layer_norm_input input = normal_rows(*types, 3, lanes < 8 ? 40 : 1000);
      const layer_norm_output expected = run(input);
      placement where;
      where.request.lanes = lanes;
      const layer_norm_output found = run(input, where);
      CHECK(found.plan.shape.lanes == lanes);
      CHECK(found.plan.shape_is_default == (lanes == expected.plan.shape.lanes));
      CHECK(compare(input, found).fault == "");
      if (found.plan.shape_is_default) check_same(expected, found, "the default number of lanes");
      differ += !same_bits(found.mean, expected.mean) || !same_bits(found.rstd, expected.rstd);
    }
  }
  CHECK(differ > 0);  // else this test would not know an override from the default
}

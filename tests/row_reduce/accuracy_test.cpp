// SPDX-License-Identifier: MIT
// Row statistics against a reference in long double: every type, widths around every change of path, rows that are hard
// for a careless reduction, random places in memory. The measured maxima become a table.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "row_reduce/reference.hpp"
#include "support/accuracy_table.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"

using namespace rowfold_test;
using kind = rowfold::statistic_kind;

namespace {

rows_placement random_placement(std::mt19937_64& engine, int cols) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(engine() % n); };
  rows_placement where;
  where.name = "random placement";
  where.count_bytes = true;
  if (below(3) != 0) where.x_offset = below(9);
  where.out_offset = below(3);
  if (below(3) == 0) where.x_layout = rowfold::row_layout::strided(cols + static_cast<int>(below(9)));
  where.request.any_access = below(4) == 0;
  where.request.reread = below(4) == 0;
  where.request.staged = below(4) == 0;
  if (below(4) == 0) where.request.block_threads = 32 << below(5);
  return where;
}

void add(accuracy_table& table, const reduce_types& types, int cols, const reduce_accuracy& found) {
  for (const kind k : {kind::sum, kind::mean, kind::l1_norm, kind::l2_norm, kind::variance, kind::log_sum_exp}) {
    table.add(std::string(types.name) + ": " + rowfold::to_text(k), cols, found.worst[place_of(k)]);
  }
}

}  // namespace

TEST_CASE("results are within the bounds, whatever the rows, the type, the width and the place in memory") {
  accuracy_table table(
      "row_reduce",
      "normal, mean of 10000 deviations, tiny, huge, of mixed size, denormal, cancelling, integers, constant, outlier, "
      "-inf in all or some places, +inf, NaN",
      "sum and l1_norm in units of 2^-24 (double: 2^-53) times the sum of |x|, mean of that / columns, l2_norm and "
      "variance of the result, log_sum_exp in ulp at max(|result|, |max|, 1). Bound: log2(lanes) + columns / lanes + "
      "2; "
      "variance 1e-5 relative (168 units); log_sum_exp 8. Minimum, maximum, their places, abs_max and finiteness are "
      "exact");
  for (const reduce_types* types : reduce_type_sets()) {
    std::mt19937_64 engine(seed());
    std::vector<int> widths = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 257, 769, 1000, 1024};
    if (!sanitized) {
      for (const int cols : {1279, 1281, 2560, 5121, 10240}) widths.push_back(cols);
      for (int i = 0; i < 5; ++i) widths.push_back(1 + static_cast<int>(engine() % 3000));
    }
    for (const int cols : widths) {
      rows_input input = all_hard_rows(*types, cols, engine() % 1000);
      input.correction = static_cast<int>(engine() % 3);
      const rows_placement where = random_placement(engine, cols);
      INFO("offset " << where.x_offset << ", any " << where.request.any_access << ", reread " << where.request.reread
                     << ", staged " << where.request.staged << ", correction " << input.correction);
      for (const auto reduce : {reduce_all, reduce_once}) {
        const reduce_accuracy found = compare(input, reduce(input, where));
        CHECK(found.fault == "");
        add(table, *types, cols, found);
      }
    }
    if (sanitized) continue;
    const rows_input wide = normal_rows(*types, 1, 100003);
    for (const auto reduce : {reduce_all, reduce_once}) {
      const reduce_accuracy found = compare(wide, reduce(wide, {}));
      CHECK(found.fault == "");
      add(table, *types, wide.cols, found);
    }
  }
  table.write();
}

TEST_CASE("the longest chain of additions is as short as the bound says") {
  // One element is large, and each other one, added to it alone, is rounded away.
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {5, 9, 33, 40, 41, 64, 100, 1000, 1280}) {
      if (sanitized && cols > 100) continue;
      for (const int place : {0, 1, cols - 1}) {
        rows_input input = normal_rows(*types, 1, cols);
        const double small = types->x == element::float64   ? 0.99 * 0x1p-53
                             : types->x == element::float32 ? 0.99 * 0x1p-24
                                                            : 0x1p-24;
        for (double& x : input.x) x = small;
        input.x[static_cast<std::size_t>(place)] = 1;
        INFO("large at " << place);
        CHECK(compare(input, reduce_all(input)).fault == "");
        CHECK(compare(input, reduce_once(input)).fault == "");
      }
    }
  }
}

TEST_CASE("the variance of equal elements is 0") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {1, 3, 8, 33, 100, 1001, 5000}) {
      if (sanitized && cols > 100) continue;
      rows_input input = normal_rows(*types, 3, cols);
      input.correction = 0;
      const double values[] = {0.7, -12345.678, types->x == element::float16 ? 0x1p-24 : 1e-30};
      for (std::size_t i = 0; i < input.x.size(); ++i) input.x[i] = values[i / static_cast<std::size_t>(cols)];
      for (const bool reread : {false, true}) {
        rows_placement where;
        where.request.reread = reread;
        const row_reduce_result result = reduce_all(input, where);
        INFO(types->name << ", " << cols << " columns");
        CHECK(result.of(kind::variance) == std::vector<double>(3, 0.0));
        CHECK(compare(input, result).fault == "");
      }
    }
  }
}

TEST_CASE("the variance of equal elements is 0 also where their mean is far off") {
  // Here the sum of 262143 elements is rounded so often that the mean is 11 units in the last place from each of them,
  // and the sums of deviations are rounded, too.
  for (const reduce_types* types : reduce_type_sets()) {
    if (types->x != element::float32) continue;
    rows_input input = normal_rows(*types, 1, 262143);
    input.correction = 0;
    for (double& x : input.x) x = 1.2274;
    const row_reduce_result result = reduce_all(input);
    CHECK(result.of(kind::mean)[0] - input.x[0] > 8 * 0x1p-23);
    CHECK(result.of(kind::variance)[0] == 0);
  }
}

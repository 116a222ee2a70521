// SPDX-License-Identifier: MIT
// NaN, infinities, ties and signed zeros: what becomes of their own row, and that no other row notices.
#include <cmath>
#include <limits>
#include <vector>

#include "row_reduce/reference.hpp"
#include "support/check.hpp"

using namespace rowfold_test;
using kind = rowfold::statistic_kind;

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

bool other_rows_same(const row_reduce_result& a, const row_reduce_result& b, std::size_t row) {
  row_reduce_result left = a;
  row_reduce_result right = b;
  for (row_reduce_result* result : {&left, &right}) {
    for (std::vector<double>& values : result->value) values.erase(values.begin() + static_cast<std::ptrdiff_t>(row));
  }
  return same_results(left, right);
}

}  // namespace

TEST_CASE("a NaN makes its row's statistics NaN, its column the extreme one, and touches no other row") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {1, 2, 7, 33, 64, 257, 700, 1283}) {
      if (sanitized && cols > 300) continue;
      const rows_input input = normal_rows(*types, 5, cols);
      const row_reduce_result clean = reduce_all(input);
      for (const int column : {0, cols / 2, cols - 1}) {
        for (const bool reread : {false, true}) {
          rows_input spoilt = input;
          for (const int place : {column, cols - 1}) {  // the first of two counts
            spoilt.x[static_cast<std::size_t>(2 * cols + place)] = nan_value;
          }
          rows_placement where;
          where.request.reread = reread;
          where.x_offset = reread ? 1 : 0;
          const row_reduce_result found = reduce_all(spoilt, where);
          INFO(types->name << ", " << cols << " columns, NaN at " << column << ", reread " << reread);
          CHECK(other_rows_same(clean, found, 2));
          for (const kind k : {kind::sum, kind::mean, kind::variance, kind::min, kind::max, kind::l1_norm,
                               kind::l2_norm, kind::abs_max, kind::log_sum_exp}) {
            INFO(rowfold::to_text(k));
            CHECK(std::isnan(found.of(k)[2]));
          }
          CHECK(found.of(kind::arg_min)[2] == column);
          CHECK(found.of(kind::arg_max)[2] == column);
          CHECK(found.of(kind::any_nonfinite)[2] == 1);
          CHECK(found.of(kind::all_finite)[2] == 0);
        }
      }
    }
  }
}

TEST_CASE("infinities are values like others where the definitions say so") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {1, 9, 100, 1030}) {
      if (sanitized && cols > 300) continue;
      rows_input input = normal_rows(*types, 4, cols);
      const auto n = static_cast<std::size_t>(cols);
      input.x[n / 2] = infinity;       // row 0
      input.x[n + n / 2] = -infinity;  // row 1
      input.x[2 * n] = infinity;       // row 2: both
      input.x[3 * n - 1] = -infinity;
      const row_reduce_result found = reduce_all(input);
      INFO(types->name << ", " << cols << " columns");
      CHECK(compare(input, found).fault == "");
      CHECK(found.of(kind::sum)[0] == infinity);
      CHECK(found.of(kind::sum)[1] == -infinity);
      CHECK(found.of(kind::mean)[0] == infinity);
      CHECK(found.of(kind::max)[0] == infinity);
      CHECK(found.of(kind::arg_max)[0] == cols / 2);
      CHECK(found.of(kind::arg_min)[1] == cols / 2);
      CHECK(found.of(kind::l2_norm)[1] == infinity);
      CHECK(found.of(kind::log_sum_exp)[0] == infinity);
      CHECK(std::isnan(found.of(kind::variance)[0]));
      if (cols > 1) CHECK(std::isnan(found.of(kind::sum)[2]));
      CHECK(found.of(kind::any_nonfinite) == std::vector<double>{1, 1, 1, 0});
    }
  }
}

TEST_CASE("among equal elements the first is the smallest and the largest, whatever lanes they are in") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {2, 8, 33, 64, 200, 1290}) {
      if (sanitized && cols > 300) continue;
      for (const double value : {0.0, 5.0, infinity, -infinity}) {
        for (const int first : {0, 1, cols / 2, cols - 1}) {
          // Elements from `first` on are equal; those before it are worse for one of the two.
          rows_input input = normal_rows(*types, 2, cols);
          for (int i = 0; i < cols; ++i) {
            const bool equal = i >= first;
            input.x[static_cast<std::size_t>(i)] = equal ? value : value == -infinity ? value : -infinity;
            input.x[static_cast<std::size_t>(cols + i)] = equal ? value : infinity;
          }
          const row_reduce_result found = reduce_all(input);
          INFO(types->name << ", " << cols << " columns, " << value << " from " << first);
          CHECK(found.of(kind::arg_max)[0] == (value == -infinity ? 0 : first));
          CHECK(found.of(kind::arg_min)[1] == (value == infinity ? 0 : first));
        }
      }
    }
  }
}

TEST_CASE("+0 and -0 are equal to arg_min and arg_max; of the two, min is -0 and max +0") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int cols : {2, 40, 300}) {
      // Row 0: one after the other; 1 and 2: in different lanes.
      rows_input input = normal_rows(*types, 3, cols);
      for (int i = 0; i < cols; ++i) {
        const auto column = static_cast<std::size_t>(i);
        const auto n = static_cast<std::size_t>(cols);
        input.x[column] = i % 2 == 0 ? -0.0 : 0.0;
        input.x[n + column] = i < cols / 2 ? -0.0 : 0.0;
        input.x[2 * n + column] = i < cols / 2 ? 0.0 : -0.0;
      }
      const row_reduce_result found = reduce_all(input);
      for (const std::size_t row : {0, 1, 2}) {
        INFO(types->name << ", " << cols << " columns, row " << row);
        CHECK(found.of(kind::arg_max)[row] == 0);
        CHECK(found.of(kind::arg_min)[row] == 0);
        CHECK(std::signbit(found.of(kind::min)[row]));
        CHECK_FALSE(std::signbit(found.of(kind::max)[row]));
        CHECK(found.of(kind::abs_max)[row] == 0);
        CHECK(found.of(kind::l2_norm)[row] == 0);
      }
    }
  }
}

TEST_CASE("sums and norms of elements near the largest number overflow only if they must") {
  for (const reduce_types* types : reduce_type_sets()) {
    if (types->x == element::float16) continue;  // float holds the sums of all halves
    const double large = types->x == element::float64 ? 1e308 : 3e38;
    for (const int cols : {3, 16, 100, 1030}) {
      if (sanitized && cols > 300) continue;
      rows_input input = normal_rows(*types, 2, cols);
      for (int i = 0; i < cols; ++i) {
        input.x[static_cast<std::size_t>(i)] = large;                                // row 0: the mean is finite
        input.x[static_cast<std::size_t>(cols + i)] = (i % 4 < 2 ? 1 : -1) * large;  // row 1: so is the sum
      }
      const row_reduce_result found = reduce_all(input);
      INFO(types->name << ", " << cols << " columns");
      CHECK(compare(input, found).fault == "");
      CHECK(found.of(kind::sum)[0] == infinity);
      CHECK(found.of(kind::mean)[0] == Catch::Approx(large).epsilon(1e-2));
      CHECK(std::isfinite(found.of(kind::mean)[1]));
      CHECK(found.of(kind::all_finite) == std::vector<double>{1, 1});
    }
  }
}

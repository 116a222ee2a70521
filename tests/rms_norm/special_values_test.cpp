// SPDX-License-Identifier: MIT
// NaN, infinities, zeros and rows that overflow: what becomes of their own row, and that no other row notices.
#include <cmath>
#include <limits>
#include <vector>

#include "norms/norm_checks.hpp"
#include "norms/norm_reference.hpp"
#include "norms/norm_rows.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Row `row` of the output, and requires that all the others are those of `clean`, bit for bit.
std::vector<double> only_row(const norm_output& output, const norm_output& clean, std::int64_t cols, std::int64_t row) {
  std::vector<double> own;
  bool others_equal = true;
  for (std::size_t i = 0; i < output.y.size(); ++i) {
    if (static_cast<std::int64_t>(i) / cols == row) {
      own.push_back(output.y[i]);
    } else {
      others_equal = others_equal && same_bits({output.y[i]}, {clean.y[i]});
    }
  }
  CHECK(others_equal);
  return own;
}

}  // namespace

TEST_CASE("a NaN makes its row NaN; an infinity makes the others 0 and itself NaN; no other row notices") {
  for (const norm_set* set : rms_norm_sets()) {
    for (const int cols : {1, 7, 64, 257}) {
      norm_input input = normal_norm_rows(*set, 5, cols);
      input.first.clear();
      input.second.clear();
      const norm_output clean = run(input);
      const auto column = static_cast<std::size_t>(cols / 2);
      for (const double value : {nan_value, infinity, -infinity}) {
        for (const bool reread : {false, true}) {
          norm_input spoilt = input;
          spoilt.x[2 * static_cast<std::size_t>(cols) + column] = value;
          norm_placement where;
          where.request.reread = reread;
          const norm_output output = run(spoilt, where);
          const std::vector<double> own = only_row(output, clean, cols, 2);
          bool right = std::isnan(own[column]);
          for (std::size_t i = 0; i < own.size(); ++i) {
            if (i != column) right = right && (std::isnan(value) ? std::isnan(own[i]) : own[i] == 0);
          }
          INFO(set->name << ", " << cols << " columns, " << value);
          CHECK(right);
          if (std::isnan(value)) {
            CHECK(std::isnan(output.statistic[2]));
          } else {
            CHECK(output.statistic[2] == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("a row of zeros is its bias, and without an eps NaN") {
  for (const norm_set* set : rms_norm_sets()) {
    for (const int cols : {64, 100}) {
      norm_input input = normal_norm_rows(*set, 3, cols);
      for (int i = 0; i < cols; ++i) input.x[static_cast<std::size_t>(cols + i)] = 0;
      // Small, but not 0 in float; half has no number for it.
      input.eps = 1e-12;
      const norm_output output = run(input);
      const norm_input rounded = input.rounded();
      bool is_bias = true;
      for (int i = 0; i < cols; ++i) {
        const auto at = static_cast<std::size_t>(i);
        is_bias = is_bias && output.y[static_cast<std::size_t>(cols) + at] == round_to(set->y, rounded.second[at]);
      }
      CHECK(is_bias);
      CHECK(output.statistic[1] == Catch::Approx(1e6).epsilon(1e-6));
      input.eps = 0;
      const norm_output without = run(input);
      bool all_nan = true;
      for (int i = 0; i < cols; ++i) all_nan = all_nan && std::isnan(without.y[static_cast<std::size_t>(cols + i)]);
      CHECK(all_nan);
      CHECK_FALSE(std::isnan(without.y[0]));
      CHECK(without.statistic[1] == infinity);
    }
  }
}

TEST_CASE("rms norm: a row whose squares overflow is on its own") {
  for (const norm_set* set : rms_norm_sets()) {
    if (set->x == element::float16) continue;  // its squares do not
    const norm_input input = normal_norm_rows(*set, 5, 100);
    const norm_output clean = run(input);
    norm_input spoilt = input;
    spoilt.x[103] = set->x == element::float64 ? 1e300 : 3e38;
    (void)only_row(run(spoilt), clean, 100, 1);  // of the row itself nothing is promised
  }
}

TEST_CASE("a NaN in gamma stays in its column") {
  for (const norm_set* set : rms_norm_sets()) {
    norm_input input = normal_norm_rows(*set, 3, 100);
    const norm_output clean = run(input);
    input.first[41] = nan_value;
    const norm_output output = run(input);
    bool right = true;
    for (std::size_t i = 0; i < output.y.size(); ++i) {
      right = right && (i % 100 == 41 ? std::isnan(output.y[i]) : output.y[i] == clean.y[i]);
    }
    CHECK(right);
  }
}

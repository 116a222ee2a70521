// SPDX-License-Identifier: MIT
// NaN, infinities and rows that overflow: what becomes of their own row, and that no other row notices.
#include <cmath>
#include <limits>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

// Rows of output, one by one.
std::vector<double> row_of(const std::vector<double>& values, std::size_t cols, std::size_t row) {
  return {values.begin() + static_cast<std::ptrdiff_t>(row * cols),
          values.begin() + static_cast<std::ptrdiff_t>((row + 1) * cols)};
}

bool all_nan(const std::vector<double>& values) {
  bool result = !values.empty();
  for (const double value : values) result = result && std::isnan(value);
  return result;
}

// Spoils one element and compares with the unspoilt rows. Is the spoilt row, with its statistics, all NaN?
bool spoils_its_row_alone(const layer_norm_input& input, const layer_norm_output& clean, std::size_t row,
                          std::size_t column, double value, const placement& where) {
  layer_norm_input spoilt = input;
  const auto cols = static_cast<std::size_t>(input.cols);
  spoilt.x[row * cols + column] = value;
  const layer_norm_output output = run(spoilt, where);
  for (std::size_t other = 0; other < static_cast<std::size_t>(input.rows); ++other) {
    if (other == row) continue;
    CHECK(same_bits(row_of(output.y, cols, other), row_of(clean.y, cols, other)));
    CHECK(same_bits({output.mean[other], output.rstd[other]}, {clean.mean[other], clean.rstd[other]}));
  }
  return all_nan(row_of(output.y, cols, row)) && std::isnan(output.rstd[row]);
}

}  // namespace

TEST_CASE("a NaN or an infinity makes its row NaN, and no other row") {
  for (const type_set* types : type_sets()) {
    for (const int cols : {1, 2, 7, 33, 64, 257, 700, 1283}) {
      const layer_norm_input input = normal_rows(*types, 5, cols);
      const layer_norm_output clean = run(input);
      for (const std::size_t column : {0, cols / 2, cols - 1}) {
        for (const double value : {nan_value, infinity, -infinity}) {
          for (const bool reread : {false, true}) {
            if (reread && column != 0) continue;
            placement where;
            where.request.reread = reread;
            where.x_offset = reread ? 1 : 0;
            INFO(types->name << ", " << cols << " columns, " << value << " at " << column << ", reread " << reread);
            CHECK(spoils_its_row_alone(input, clean, 2, static_cast<std::size_t>(column), value, where));
          }
        }
      }
    }
  }
}

TEST_CASE("infinities of both signs in one row make it NaN") {
  for (const type_set* types : type_sets()) {
    layer_norm_input input = normal_rows(*types, 2, 100);
    input.x[3] = infinity;
    input.x[77] = -infinity;
    const layer_norm_output output = run(input);
    CHECK(all_nan(row_of(output.y, 100, 0)));
    CHECK_FALSE(std::isnan(output.y[100]));
  }
}

TEST_CASE("a row whose squares overflow is on its own") {
  for (const type_set* types : type_sets()) {
    if (types->x == element::float16) continue;  // its squares do not
    const double large = types->x == element::float64 ? 1e300 : 3e38;
    for (const int cols : {8, 100, 1283}) {
      const layer_norm_input input = normal_rows(*types, 5, cols);
      const layer_norm_output clean = run(input);
      for (const double value : {large, -large}) {
        INFO(types->name << ", " << cols << " columns, one of them " << value);
        (void)spoils_its_row_alone(input, clean, 1, 3, value, {});  // of the row itself nothing is promised
      }
    }
  }
}

TEST_CASE("a NaN or an infinity in gamma or beta stays in its column") {
  for (const type_set* types : type_sets()) {
    for (const double value : {nan_value, infinity}) {
      for (std::vector<double> layer_norm_input::*parameter : {&layer_norm_input::gamma, &layer_norm_input::beta}) {
        layer_norm_input input = normal_rows(*types, 3, 100);
        const layer_norm_output clean = run(input);
        (input.*parameter)[41] = value;
        const layer_norm_output output = run(input);
        CHECK(same_bits(output.mean, clean.mean));
        CHECK(same_bits(output.rstd, clean.rstd));
        bool others_equal = true;
        for (std::size_t i = 0; i < output.y.size(); ++i) {
          if (i % 100 == 41) {
            CHECK_FALSE(std::isfinite(output.y[i]));
          } else {
            others_equal = others_equal && output.y[i] == clean.y[i];
          }
        }
        CHECK(others_equal);
      }
    }
  }
}

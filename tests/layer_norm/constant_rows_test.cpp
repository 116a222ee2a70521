// SPDX-License-Identifier: MIT
// Rows of equal values: the variance is 0, the result is beta exactly, and the saved statistics are exact too, whatever
// the value, the width and the kernel.
#include <cmath>
#include <string>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "support/check.hpp"
#include "support/element.hpp"
#include "support/subnormals.hpp"

using namespace rowfold_test;

namespace {

// Finite in every type set that takes part; the largest and the smallest of each type are among them.
std::vector<double> constants(const type_set& types) {
  std::vector<double> values = {0, -0.0, 1, 3, -7, 0.1, -1.0 / 3, 1e-3, 16777217.0 / 16384};
  if (types.x == element::float16) {
    for (const double value : {65504.0, -65504.0, 0x1p-24, -0x1p-14}) values.push_back(value);
  } else {
    const double largest = types.x == element::bfloat16 ? 0x1.fep127 : 0x1.fffffep127;
    for (const double value : {1e30, -1e30, largest, -largest, 1e-30, 1e-37, -1.2e-38, 1e-44, -1e-40}) {
      values.push_back(value);
    }
  }
  if (types.x == element::float64) {
    for (const double value : {1e308, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 5e-324, -1e-310, 3e-308}) {
      values.push_back(value);
    }
  }
  return values;
}

// One row for each constant, run at once; with a random beta, or with none.
void check_constants(const type_set& types, int cols, double eps, const placement& where, bool has_beta = true) {
  const std::vector<double> values = constants(types);
  layer_norm_input input = normal_rows(types, 0, cols, 7);
  input.rows = static_cast<std::int64_t>(values.size());
  input.eps = eps;
  if (!has_beta) input.beta.clear();
  for (const double value : values) input.x.insert(input.x.end(), static_cast<std::size_t>(cols), value);
  const layer_norm_input rounded = input.rounded();
  const layer_norm_output output = run(input, where);
  const double rstd = round_to(types.statistic(), 1 / std::sqrt(rounded.eps));
  for (std::size_t row = 0; row < values.size(); ++row) {
    INFO(types.name << ", " << cols << " columns of " << values[row] << ", eps " << eps << ", " << where.name);
    bool exact = true;
    for (std::size_t col = 0; col < static_cast<std::size_t>(cols); ++col) {
      const double beta = has_beta ? round_to(types.y, rounded.beta[col]) : 0.0;
      exact = exact && output.y[row * static_cast<std::size_t>(cols) + col] == beta;
    }
    CHECK(exact);
    if (counts_as_zero_below_normal(types.x) && std::abs(values[row]) < 0x1p-126) continue;
    CHECK(output.mean[row] == rounded.x[row * static_cast<std::size_t>(cols)]);
    // The square root and the quotient of double are rounded one by one.
    CHECK(std::abs(output.rstd[row] - rstd) <= (types.x == element::float64 ? 2 * ulp(element::float64, rstd) : 0.0));
  }
}

}  // namespace

TEST_CASE("a row of equal values gives beta exactly") {
  for (const type_set* types : type_sets()) {
    for (const int cols :
         {1, 2, 3, 5, 7, 10, 24, 31, 49, 63, 96, 100, 127, 200, 331, 520, 768, 1000, 1283, 3000, 5120}) {
      check_constants(*types, cols, cols % 2 == 0 ? 1e-5 : 1e-12, {});
    }
    placement where;
    where.name = "reread";
    where.request.reread = true;
    for (const int cols : {3, 100, 1283}) check_constants(*types, cols, 1e-5, where);
    where = {};
    where.name = "x off by one";
    where.x_offset = 1;
    for (const int cols : {3, 100, 1283}) check_constants(*types, cols, 1e-5, where);
    // Where a mean that is off by the least would show.
    for (const int cols : {19, 28, 384, 4097}) check_constants(*types, cols, 1e-30, {}, false);
    check_constants(*types, 33333, 1e-30, {}, false);
  }
}

TEST_CASE("an eps that a 16-bit type cannot hold still keeps constant rows finite") {
  for (const type_set* types : type_sets()) {
    for (const double value : {0.0, 3.0}) {
      layer_norm_input input = normal_rows(*types, 1, 64);
      input.eps = 1e-12;
      input.x.assign(64, value);
      const layer_norm_output output = run(input);
      const layer_norm_input rounded = input.rounded();
      for (std::size_t i = 0; i < 64; ++i) CHECK(output.y[i] == round_to(types->y, rounded.beta[i]));
      CHECK(std::isfinite(output.rstd[0]));
      CHECK(output.rstd[0] == Catch::Approx(1e6).epsilon(1e-6));
    }
  }
}

TEST_CASE("a row of one column gives beta") {
  for (const type_set* types : type_sets()) {
    layer_norm_input input = normal_rows(*types, 9, 1);
    const layer_norm_output output = run(input);
    for (const double y : output.y) CHECK(y == round_to(types->y, input.rounded().beta[0]));
    input.beta.clear();
    for (const double y : run(input).y) CHECK(y == 0);
  }
}

// SPDX-License-Identifier: MIT
// fast_math: the same results but for rstd, which is approximate to the stated error.
#include <algorithm>
#include <cmath>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "support/check.hpp"
#include "support/element.hpp"

using namespace rowfold_test;

TEST_CASE("fast_math keeps rstd within 2^-22.9 of the exact one, and y with it") {
  // Of 1 / sqrt(variance + eps), both sides see the same argument; the accurate one is correctly rounded.
  const double stated = std::exp2(-22.9) + std::exp2(-24.0);
  double worst = 0;
  for (const int cols : {3, 64, 100, 257, 1024, 3000}) {
    layer_norm_input input = all_hard_rows(float_types, cols);
    placement where;
    const layer_norm_output accurate = run(input, where);
    where.fast = true;
    const layer_norm_output fast = run(input, where);
    CHECK(same_bits(fast.mean, accurate.mean));
    const auto n = static_cast<std::size_t>(cols);
    for (std::size_t row = 0; row < fast.rstd.size(); ++row) {
      if (std::isnan(accurate.rstd[row])) {
        CHECK(std::isnan(fast.rstd[row]));
        continue;
      }
      const double error = std::abs(fast.rstd[row] / accurate.rstd[row] - 1);
      CHECK(error <= stated);
      worst = std::max(worst, error);
      for (std::size_t col = 0; col < n; ++col) {
        const double difference = std::abs(fast.y[row * n + col] - accurate.y[row * n + col]);
        const double scaled = std::abs(accurate.y[row * n + col] - round_to(element::float32, input.beta[col]));
        const double size = std::max({std::abs(accurate.y[row * n + col]), std::abs(input.beta[col]), scaled});
        // What rstd is off by, on the scaled part; then each side rounds that part and the sum: 1.5 ulp.
        if (!(difference <= stated * scaled + 3 * ulp(element::float32, size))) {
          FAIL(cols << " columns, row " << row << ", column " << col << ": off by " << difference);
        }
      }
    }
  }
  WARN("fast_math: rstd is off by at most " << worst << ", stated " << stated);
}

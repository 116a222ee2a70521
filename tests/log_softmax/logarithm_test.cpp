// SPDX-License-Identifier: MIT
// Log-softmax against a reference in double: every set of types and options, widths around every change of path, rows
// that are hard for a careless algorithm, special values. The measured maxima become a table. (Bits, arguments and
// plans are tested together with softmax: tests/softmax.)
#include <cmath>
#include <limits>
#include <vector>

#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_run.hpp"
#include "softmax/softmax_sweep.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

softmax_input seeing_all(const softmax_set& set, std::int64_t rows, int cols) {
  softmax_input input = normal_logits(set, rows, cols);
  for (double& value : input.mask) value = 0;
  for (long long& length : input.lengths) length = cols;
  return input;
}

}  // namespace

TEST_CASE("log_softmax: results are within the bounds, whatever the rows, the options, the width and the place") {
  sweep("log_softmax", log_softmax_sets());
}

TEST_CASE("log_softmax: one value alone is 0, equal values are -log(cols)") {
  for (const softmax_set* set : log_softmax_sets()) {
    if (!set->plain()) continue;
    for (const int cols : {1, 2, 5, 64, 1000}) {
      softmax_input input;
      input.set = set;
      input.rows = 2;
      input.cols = cols;
      input.x = make_logits(*set, logit_kind::one_finite, cols, 1, 1);
      for (int i = 0; i < cols; ++i) input.x.push_back(-7.25);
      const softmax_output output = run(input);
      CHECK(compare(input, output).fault == "");
      const auto n = static_cast<std::size_t>(cols);
      for (std::size_t i = 0; i < n; ++i) {
        if (!std::isinf(input.x[i])) CHECK(output.y[i] == 0.0);
      }
      CHECK(output.log_sum_exp[0] == 3.0);
    }
  }
}

TEST_CASE("log_softmax: special values stay in their row") {
  for (const softmax_set* set : log_softmax_sets()) {
    for (const int cols : {1, 7, 64, 257, 1283}) {
      const softmax_input input = seeing_all(*set, 5, cols);
      const softmax_output clean = run(input);
      const auto n = static_cast<std::size_t>(cols);
      for (const double value : {std::nan(""), infinity, -infinity}) {
        softmax_input spoilt = input;
        spoilt.x[2 * n + n / 2] = value;
        const softmax_output output = run(spoilt);
        INFO(set->name << ", " << cols << " columns, " << value);
        CHECK(compare(spoilt, output).fault == "");
        CHECK(std::isnan(output.y[2 * n]) == (cols == 1 || !(value == -infinity)));
        for (std::size_t i = 0; i < output.y.size(); ++i) {
          if (i / n != 2 && !(output.y[i] == clean.y[i])) FAIL("row " << i / n << " has changed");
        }
      }
    }
  }
}

TEST_CASE("log_softmax: a row of nothing but -inf is NaN or -inf, as asked") {
  for (const softmax_set* set : log_softmax_sets()) {
    for (const rowfold::masked_row masked : {rowfold::masked_row::nan, rowfold::masked_row::zero}) {
      for (const int cols : {1, 64, 100, 1283}) {
        softmax_input input = seeing_all(*set, 2, cols);
        input.masked = masked;
        for (int i = 0; i < cols; ++i) input.x[static_cast<std::size_t>(i)] = -infinity;
        const softmax_output output = run(input);
        CHECK(compare(input, output).fault == "");
        CHECK(output.log_sum_exp[0] == -infinity);
        CHECK(std::isnan(output.y[0]) == (masked == rowfold::masked_row::nan));
        if (masked == rowfold::masked_row::zero) CHECK(output.y[0] == -infinity);
      }
    }
  }
}

TEST_CASE("log_softmax: right for every finite input") {
  for (const softmax_set* set : log_softmax_sets()) {
    if (!set->plain()) continue;
    const double largest = set->x == element::bfloat16  ? 0x1.fep127
                           : set->x == element::float32 ? 0x1.fffffep127
                                                        : std::numeric_limits<double>::max();
    softmax_input input = seeing_all(*set, 1, 4);
    input.x = {largest, largest / 2, largest, 0};
    CHECK(compare(input, run(input)).fault == "");
  }
}

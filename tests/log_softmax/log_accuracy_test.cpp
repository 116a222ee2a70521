// SPDX-License-Identifier: MIT
// Log-softmax against a reference in double: every set of types and options, widths around every change of path, rows that
// are hard for a careless algorithm. The measured maxima are printed as a table. (Bits, arguments and plans are tested
// together with softmax: tests/softmax.)
#include <cmath>

#include "softmax/accuracy_table.hpp"
#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

TEST_CASE("log_softmax: results are within the bounds, whatever the rows, the options, the width and the place") {
  softmax_table table(log_softmax_sets());
  for (const softmax_set* set : log_softmax_sets()) sweep(*set, table);
  write_table("log_softmax", table.markdown());
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

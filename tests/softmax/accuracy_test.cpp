// SPDX-License-Identifier: MIT
// Softmax against a reference in double: every set of types and options, widths around every change of path, rows that
// are hard for a careless algorithm. The measured maxima become a table.
#include <cmath>

#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_sweep.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"

using namespace rowfold_test;

TEST_CASE("softmax: results are within the bounds, whatever the rows, the options, the width and the place in memory") {
  sweep("softmax", softmax_sets());
}

TEST_CASE("softmax: one value alone is 1, equal values are 1 / cols to the last bit") {
  for (const softmax_set* set : softmax_sets()) {
    if (!set->plain()) continue;
    for (const int cols : {1, 2, 5, 64, 100, 1000, 5000}) {
      softmax_input input;
      input.set = set;
      input.rows = 2;
      input.cols = cols;
      input.x = make_logits(*set, logit_kind::one_finite, cols, 1, 1);
      for (int i = 0; i < cols; ++i) input.x.push_back(-7.25);
      const softmax_output output = run(input);
      CHECK(compare(input, output).fault == "");
      const auto n = static_cast<std::size_t>(cols);
      const double equal =
          round_to(set->y, set->statistic() == element::float64 ? 1.0 / cols : 1.0f / static_cast<float>(cols));
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(output.y[i] == (std::isinf(input.x[i]) ? 0.0 : 1.0));
        CHECK(output.y[n + i] == equal);
      }
    }
  }
}

TEST_CASE("softmax: long sums of equal terms, which err in one direction in every addition, keep their accuracy") {
  // One lane adds up all granules.
  softmax_placement where;
  where.request.lanes = 1;
  where.request.block_threads = 32;
  for (const double below : {-0.1, -1.1, -3.3}) {
    softmax_input input;
    input.set = &float_softmax;
    input.rows = 1;
    input.cols = 40000;
    input.x.assign(40000, below);
    input.x[7] = 0;
    const softmax_output output = run(input, where);
    CHECK(output.plan.shape.lanes == 1);
    CHECK(compare(input, output).fault == "");
  }
}

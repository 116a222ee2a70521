// SPDX-License-Identifier: MIT
// RMSNorm against a reference in double, and where it reads and writes.
#include "norms/norm_checks.hpp"
#include "norms/norm_reference.hpp"
#include "norms/norm_rows.hpp"
#include "support/check.hpp"
#include "support/subnormals.hpp"

using namespace rowfold_test;

TEST_CASE("RMSNorm is within its bounds, whatever the rows, the types, the width and the place in memory") {
  check_accuracy("rms_norm", rms_norm_sets());
}

TEST_CASE("RMSNorm reads and writes its rows alone", "[sanitize]") { check_memory(rms_norm_sets()); }

TEST_CASE("the weight's offset is added in float") {
  // In bfloat16, 1 + 2^-8 would be 1 and 1 + 15.8125 would be 16.75.
  for (const norm_set* set : rms_norm_sets()) {
    if (set->rounds_first) continue;
    for (const double gamma : {0.00390625, 15.8125}) {
      norm_input input = normal_norm_rows(*set, 1, 256);
      input.weight_offset = 1;
      input.second.clear();
      for (double& value : input.first) value = gamma;
      for (double& value : input.x) value = 1;
      input.eps = 0;
      const norm_output output = run(input);
      CHECK(compare(input, output).fault == "");
      CHECK(output.y[0] == round_to(set->y, 1 + gamma));
    }
  }
}

TEST_CASE("tiny rows are right with an eps, and without one as far as their squares are normal numbers") {
  for (const norm_set* set : rms_norm_sets()) {
    for (const int cols : {33, 1024}) {
      norm_input input = normal_norm_rows(*set, 2, cols);
      input.first.clear();
      input.second.clear();
      for (double& value : input.x) value *= set->x == element::float16 ? 0x1p-10 : 0x1p-62;
      for (const double eps : {0.0, 1.2e-38, 1e-6}) {
        if (counts_as_zero_below_normal(set->x) && eps < 1e-37) continue;  // squares are subnormal, too
        input.eps = eps;
        INFO(set->name << ", eps " << eps);
        CHECK(compare(input, run(input)).fault == "");
      }
    }
  }
}

// One by one, the squares of such elements would all be rounded down (square_sums in row/rms_normalize.cuh): 1 / rms
// was off by 8 ulp at this width, the largest that the benchmarks have.
TEST_CASE("long rows of elements of few bits are not further off than others") {
  int checked = 0;
  for (const norm_set* set : rms_norm_sets()) {
    if (set->x != element::bfloat16) continue;
    ++checked;
    const norm_input input = normal_norm_rows(*set, 2, 262144);
    const norm_accuracy accuracy = compare(input, run(input));
    INFO(set->name);
    CHECK(accuracy.fault == "");
    CHECK(accuracy.worst_statistic <= 2);
  }
  CHECK(checked > 0);
}

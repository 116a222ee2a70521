// SPDX-License-Identifier: MIT
// The same row gives the same bits, whichever kernel serves it, wherever its tensors lie, whatever rows are beside it.
#include "norms/norm_checks.hpp"
#include "norms/norm_reference.hpp"
#include "norms/norm_rows.hpp"
#include "norms/norm_sets.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

TEST_CASE("every kernel of RMSNorm gives the bits of the others", "[race][sanitize]") {
  check_same_bits(rms_norm_sets());
}

TEST_CASE("a row's RMSNorm does not depend on the rows beside it") { check_row_independence(rms_norm_sets()); }

TEST_CASE("the short calls give the bits of the arguments that they stand for") {
  for (const int cols : {64, 65, 256, 1028}) {
    norm_input input = normal_norm_rows(rms_float, 3, cols);
    input.second.clear();
    for (const bool has_gamma : {true, false}) {
      if (!has_gamma) input.first.clear();
      norm_placement where;
      where.short_call = true;
      CHECK(same_bits(run(input).y, run(input, where).y));
    }
  }
}

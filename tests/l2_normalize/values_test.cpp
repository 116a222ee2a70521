// SPDX-License-Identifier: MIT
// L2 normalisation against a reference in double, in every kernel and place; what it does with eps, zeros and bad
// arguments.
#include <cmath>
#include <cstddef>

#include "norms/norm_checks.hpp"
#include "norms/norm_reference.hpp"
#include "norms/norm_rows.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

TEST_CASE("L2 normalisation is within its bounds, whatever the rows, the types, the width and the place in memory") {
  check_accuracy("l2_normalize", l2_normalize_sets());
}

TEST_CASE("L2 normalisation reads and writes its rows alone", "[sanitize]") { check_memory(l2_normalize_sets()); }

TEST_CASE("every kernel of L2 normalisation gives the bits of the others", "[race][sanitize]") {
  check_same_bits(l2_normalize_sets());
}

TEST_CASE("a row's L2 normalisation does not depend on the rows beside it") {
  check_row_independence(l2_normalize_sets());
}

TEST_CASE("L2 normalisation refuses bad arguments, with the reason, and writes nothing") {
  check_arguments(l2_normalize_sets());
}

TEST_CASE("a norm below eps is eps, and saved as it is") {
  for (const norm_set* set : l2_normalize_sets()) {
    norm_input input = normal_norm_rows(*set, 2, 16);
    for (double& value : input.x) value = 0;
    input.x[3] = 0x1p-10;
    for (std::size_t i = 16; i < 20; ++i) input.x[i] = 2;
    input.eps = 0x1p-8;
    const norm_output output = run(input);
    CHECK(output.y[3] == 0.25);
    CHECK(output.statistic[0] == 0x1p-10);
    CHECK(output.y[16] == 0.5);
    CHECK(output.statistic[1] == 4);
  }
}

TEST_CASE("a row of zeros stays zeros, and without an eps it is NaN") {
  for (const norm_set* set : l2_normalize_sets()) {
    norm_input input = normal_norm_rows(*set, 1, 24);
    for (double& value : input.x) value = 0;
    input.eps = 1e-12;
    for (const double value : run(input).y) CHECK(value == 0);
    input.eps = 0;
    for (const double value : run(input).y) CHECK(std::isnan(value));
  }
}

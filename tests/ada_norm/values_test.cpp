// SPDX-License-Identifier: MIT
// LayerNorm and RMSNorm with a modulation for each group of rows, against a reference in double, in every kernel and
// place.
#include <cmath>

#include "norms/norm_checks.hpp"
#include "norms/norm_reference.hpp"
#include "norms/norm_rows.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

TEST_CASE("modulated norms are within their bounds, whatever the rows, the types, the width and the place in memory") {
  check_accuracy("ada_norm", ada_norm_sets());
}

TEST_CASE("modulated norms read and write their rows alone", "[sanitize]") { check_memory(ada_norm_sets()); }

TEST_CASE("every kernel of a modulated norm gives the bits of the others", "[race][sanitize]") {
  check_same_bits(ada_norm_sets());
}

TEST_CASE("a row's modulated norm does not depend on the rows beside it") { check_row_independence(ada_norm_sets()); }

TEST_CASE("modulated norms refuse bad arguments, with the reason, and write nothing") {
  check_arguments(ada_norm_sets());
}

TEST_CASE("each group has its own scale and shift, and both may be null") {
  for (const norm_set* set : ada_norm_sets()) {
    for (const std::int64_t rows_per_group :
         {std::int64_t{1}, std::int64_t{3}, std::int64_t{7}, std::int64_t{1} << 40}) {
      for (const int cols : {64, 100, 264}) {
        for (const int which : {0, 1, 2, 3}) {
          norm_input input = normal_norm_rows(*set, 10, cols, 4, rows_per_group);
          if (which & 1) input.first.clear();
          if (which & 2) input.second.clear();
          const norm_output output = run(input);
          INFO("groups of " << rows_per_group << ", null parameters " << which);
          CHECK(compare(input, output).fault == "");
          CHECK(output.plan.minimal_bytes ==
                10 * cols * static_cast<std::int64_t>(bytes_of(set->x) + bytes_of(set->y)) +
                    (which == 0   ? 2
                     : which == 3 ? 0
                                  : 1) *
                        input.groups() * cols * static_cast<std::int64_t>(bytes_of(set->parameter)) +
                    10 * static_cast<std::int64_t>(bytes_of(set->statistic())) * (set->has_mean() ? 2 : 1));
        }
      }
    }
  }
}

TEST_CASE("a row of equal values is its group's shift exactly, where the mean is taken off") {
  for (const norm_set* set : ada_norm_sets()) {
    if (!set->has_mean()) continue;
    norm_input input = normal_norm_rows(*set, 4, 96);
    for (double& value : input.x) value = 3;
    const norm_output output = run(input);
    const norm_input rounded = input.rounded();
    for (std::size_t i = 0; i < output.y.size(); ++i) {
      CHECK(output.y[i] == round_to(set->y, rounded.second[i / 96 / 2 * 96 + i % 96]));
    }
  }
}

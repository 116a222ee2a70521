// SPDX-License-Identifier: MIT
// Rows that LayerNorm is known to get wrong when it is written carelessly, and parameters for them.
#pragma once

#include <cstdint>
#include <vector>

#include "layer_norm/layer_norm_run.hpp"
#include "support/check.hpp"

namespace rowfold_test {

enum class row_kind {
  normal,          // mean 0, standard deviation 1
  uniform,         // [-1, 1)
  shifted,         // mean 1e4 standard deviations
  shifted_down,    // mean -1e4 standard deviations, which are 2^-10
  outlier_first,   // normal, and the first element is 1000 standard deviations off
  outlier_middle,  // the same in the middle
  outlier_last,    // the same at the end
  massive_last,    // normal with mean 100, and the last element -1000 standard deviations
  tiny,            // normal times 2^-50 (half: 2^-12): squares far below eps
  huge,            // normal times 1e15 (half: 1e4, double: 1e150): squares near the largest number
  ramp,            // 0, 1, 2, ... scaled to [0, 1]
  steps,           // -1 and 1 in turn
  denormal,        // a few of the smallest steps of the type
  constant,        // all elements equal
  with_infinity,   // normal, and one infinity
  with_nan,        // normal, and one NaN
  count            // how many kinds there are
};

const char* name(row_kind kind);

// One row for each kind, of the widths and types given; `stream` tells random rows apart.
std::vector<double> make_row(const type_set& types, row_kind kind, int cols, std::uint64_t stream);

// All kinds, one row each, with random gamma and beta.
layer_norm_input all_hard_rows(const type_set& types, int cols, std::uint64_t stream = 0);

// `rows` normal rows with random gamma and beta.
layer_norm_input normal_rows(const type_set& types, std::int64_t rows, int cols, std::uint64_t stream = 0);

// Column counts around which code paths change: small, around powers of two, odd, prime.
const std::vector<int>& edge_widths();

// Column counts of whole granules at which the default plan's kernel or fold shape changes (each the last one of its
// kind), up to `limit`.
std::vector<int> dispatch_borders(const type_set& types, int limit);

}  // namespace rowfold_test

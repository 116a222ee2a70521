// SPDX-License-Identifier: MIT
// Rows for the norms: ordinary ones, and those that a careless norm gets wrong.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "norms/norm_run.hpp"

namespace rowfold_test {

// true under a sanitizer, which looks at memory and order, not at numbers: fewer wide rows then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool few_rows = true;
#else
inline constexpr bool few_rows = false;
#endif

enum class norm_row {
  normal,         // mean 0, standard deviation 1
  large_mean,     // mean 100, standard deviation 1
  outlier_first,  // normal, and the first element is 1000
  outlier_last,   // the same at the end
  tiny,           // normal times 2^-50 (half: 2^-12): squares far below eps
  huge,           // normal times 1e15 (half: 1e4, double: 1e150): squares near the largest number
  denormal,       // multiples of the smallest number of the type
  constant,       // all elements equal
  zero,
  with_nan,       // normal, and one NaN
  with_infinity,  // normal, and one infinity
  count           // how many kinds there are
};

// One row of a kind, of the types and width given; `stream` tells random rows apart.
std::vector<double> make_norm_row(const norm_set& set, norm_row kind, int cols, std::uint64_t stream);

// `rows` normal rows with random parameters, and groups of `rows_per_group`.
norm_input normal_norm_rows(const norm_set& set, std::int64_t rows, int cols, std::uint64_t stream = 0,
                            std::int64_t rows_per_group = 2);

// One row of each kind, with random parameters.
norm_input all_norm_rows(const norm_set& set, int cols, std::uint64_t stream);

// Rows of random kinds with random parameters, or none, and random eps; and a random place in memory.
norm_input random_norm_input(std::mt19937_64& engine, const norm_set& set, int cols);
norm_placement random_norm_placement(std::mt19937_64& engine, const norm_set& set, int cols);

// Column counts of whole granules at which the default plan's kernel or fold shape changes (each the last one of its
// kind), up to `limit`.
std::vector<int> norm_borders(const norm_set& set, int limit);

}  // namespace rowfold_test

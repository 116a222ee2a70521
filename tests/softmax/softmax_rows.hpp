// SPDX-License-Identifier: MIT
// Rows that softmax is known to get wrong when it is written carelessly, and options for them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "softmax/softmax_run.hpp"
#include "support/check.hpp"

namespace rowfold_test {

// What x * scale looks like.
enum class logit_kind {
  normal,      // deviation 1
  sharp,       // deviation 30: weights over the whole range of float
  far,         // normal around 1e4 (half: 100)
  constant,    // all equal
  two_levels,  // one 0, all others the same a little below: every addition of the sum errs alike
  ramp,        // 0 to -110: the last weights are subnormal or 0
  hidden,      // sharp, with -inf in half of the places
  one_finite,  // -inf but for one value
  huge,        // about a third of the largest number, either sign
  opposite,    // plus and minus the largest number
  tiny,        // deviation 1e-6
  denormal,    // x below the smallest normal number
  infinite,    // normal, with one +inf
  with_nan,    // normal, with one NaN
  count        // how many kinds there are
};

// A row's x, for a scale.
std::vector<double> make_logits(const softmax_set& set, logit_kind kind, int cols, double scale, std::uint64_t stream);

// Fills what the set has of a mask, lengths and a causal mask at random.
void make_options(softmax_input& input, std::mt19937_64& engine);

// `rows` normal rows with random options; scale 0.5.
softmax_input normal_logits(const softmax_set& set, std::int64_t rows, int cols, std::uint64_t stream = 0);

// All kinds, one row each, with random options.
softmax_input all_logit_kinds(const softmax_set& set, int cols, double scale, std::uint64_t stream = 0);

// Widths around every change of path: small, around powers of two, odd, prime, and where plans change, up to `limit`.
std::vector<int> softmax_widths(const softmax_set& set, int limit);

// Column counts of whole granules at which the default plan's kernel or fold shape changes (each the last one of its
// kind), up to `limit`.
std::vector<int> softmax_borders(const softmax_set& set, int limit);

}  // namespace rowfold_test

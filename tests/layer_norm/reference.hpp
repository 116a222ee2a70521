// SPDX-License-Identifier: MIT
// LayerNorm by its definition in double (long double for double), and the bounds that results are held to.
#pragma once

#include <cstdint>
#include <string>

#include "layer_norm/layer_norm_run.hpp"

namespace rowfold_test {

// What a comparison with the reference found.
struct accuracy {
  std::int64_t elements = 0;
  double worst_y = 0;            // in units in the last place of y's type at max(|y|, |gamma|, |beta|)
  std::int64_t not_nearest = 0;  // 16-bit y: elements that are not the correctly rounded value
  std::int64_t cancelled = 0;    // 16-bit y: of these, such that z * gamma and beta cancel (see below)
  double worst_mean = 0;         // in units in the last place of max(|mean|, standard deviation)
  double worst_rstd = 0;         // in units in the last place
  std::string fault;             // the first value out of bounds; empty if there is none

  void add(const accuracy& other);
};

// Compares every result with the reference on the same inputs. The bounds, for rows whose mean is at most 1e4 standard
// deviations, of up to 16384 columns; for more they grow in proportion, as the longest chain of additions does:
//   float or double y   8 ulp of max(|y|, |gamma|, |beta|), null parameters counting as 1 and 0;
//   16-bit y            the correctly rounded value of the reference or its neighbour. Where z * gamma and beta cancel,
//                       that is more than any sum of rounded terms can promise: there, the rounded value of something
//                       within 8 float ulp of max(|y|, |gamma|, |beta|);
//   mean, rstd          8 ulp of max(|mean|, standard deviation); 8 ulp.
// A row with a NaN or an infinity is NaN.
accuracy compare(const layer_norm_input& input, const layer_norm_output& output);

// The reference of y alone, of one row of rounded input, for tests that make inputs from it.
std::vector<double> reference_row(const layer_norm_input& rounded, std::int64_t row);

}  // namespace rowfold_test

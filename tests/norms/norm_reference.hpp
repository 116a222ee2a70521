// SPDX-License-Identifier: MIT
// The norms by their definitions in double (long double for double), and the bounds that results are held to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "norms/norm_run.hpp"

namespace rowfold_test {

// What a comparison with the reference found.
struct norm_accuracy {
  std::int64_t elements = 0;
  double worst_y = 0;            // in units in the last place of y's type at the size that the bound is stated in
  std::int64_t not_nearest = 0;  // 16-bit y: elements that are not the correctly rounded value
  double worst_statistic = 0;    // of mean, rstd or norm, in units in the last place (mean: of max(|mean|, deviation))
  std::string fault;             // the first value out of bounds; empty if there is none

  void add(const norm_accuracy& other);
};

// Compares every result with the reference on the same inputs. The bounds, for rows of up to 16384 columns; for more
// they grow in proportion, as the longest chain of additions does:
//   float or double y   8 ulp of max(|y|, |weight|, |shift|), where weight is gamma + offset or 1 + scale, and 1 and 0
//                       where there is none; of |y| alone for L2 normalisation;
//   16-bit y            the correctly rounded value of the reference or its neighbour; where product and shift cancel,
//                       the rounded value of something within the float bound;
//   statistics          8 ulp.
// A weight behind a rounded value (before_gamma): the same, for the value rounded to x's type, or, where the reference
// lies within 8 float ulp of the middle between two such values, for either.
norm_accuracy compare(const norm_input& input, const norm_output& output);

}  // namespace rowfold_test

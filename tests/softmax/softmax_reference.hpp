// SPDX-License-Identifier: MIT
// Softmax and log-softmax by their definition in double (long double for double), and the bounds that results are held
// to.
#pragma once

#include <cstdint>
#include <string>

#include "softmax/softmax_run.hpp"

namespace rowfold_test {

// What a comparison with the reference found.
struct softmax_accuracy {
  std::int64_t elements = 0;
  double worst_y = 0;            // float and double y: of its bound, so that 1 is the most; 16-bit y: in ulp
  double worst_units = 0;        // float and double y: error in the bound's units (see below), at small |z - max|
  std::int64_t not_nearest = 0;  // 16-bit y: elements that are not the correctly rounded value
  double worst_log_sum_exp = 0;  // in units in the last place of max(|log-sum-exp|, |max(z)|, 1)
  std::string fault;             // the first value out of bounds; empty if there is none

  void add(const softmax_accuracy& other);
};

// Compares every result with the reference on the same inputs, special rows and values among them. With u = 2^-23
// (2^-52 for double), and d = z - max(z):
//   softmax, y       relative (8 + |d|) * u, plus one subnormal step;
//   log-softmax, y   8 ulp of max(|y|, |max(z)|, 1);
//   log-sum-exp      8 ulp of max(|log-sum-exp|, |max(z)|, 1).
// With a mask, z is x * scale + mask rounded once to the accumulate type, as the op promises; else it is exact. A
// 16-bit y is the correctly rounded value of the reference or its neighbour, or as close as the rounded value of
// something within the bound above.
softmax_accuracy compare(const softmax_input& input, const softmax_output& output);

}  // namespace rowfold_test

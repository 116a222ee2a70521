// SPDX-License-Identifier: MIT
// How the factor of softmax's scale is split between its source and its exponentials.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"
#if !defined(__CUDACC_RTC__)
#include <cmath>
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Scales above this in size are refused: it leaves room for the powers of two below, and sharpens every softmax to its
// largest value alone.
inline constexpr double max_logit_scale = 0x1p64;

// The source's values are x * x_factor (+ mask * mask_factor); times `unit` they are x * scale (+ mask).
template <class Accumulate>
struct logit_scaling {
  Accumulate x_factor = Accumulate(1);
  Accumulate mask_factor = Accumulate(1);
  Accumulate unit = Accumulate(1);  // at least 1
};

#if !defined(__CUDACC_RTC__)
// scale: finite, of at most max_logit_scale in size; rounded once to the accumulate type.
template <class Accumulate>
logit_scaling<Accumulate> make_logit_scaling(double scale, bool has_mask) {
  scale = static_cast<double>(static_cast<Accumulate>(scale));
  int exponent = 0;  // |scale| < 2^exponent
  (void)std::frexp(scale, &exponent);
  logit_scaling<Accumulate> s;
  if (has_mask) {
    // Neither product reaches half of the range, so that their sum stays in it.
    const int shift = exponent + 1 > 1 ? exponent + 1 : 1;
    s.x_factor = static_cast<Accumulate>(std::ldexp(scale, -shift));
    s.mask_factor = static_cast<Accumulate>(std::ldexp(1.0, -shift));
    s.unit = static_cast<Accumulate>(std::ldexp(1.0, shift));
  } else if (scale == 0) {
    s.x_factor = static_cast<Accumulate>(scale);
  } else {
    // A scale below 1 shrinks values before they are subtracted; one of 1 or more makes of every difference that
    // overflows one whose exponential is 0 anyway.
    const int power = exponent - 1 < 0 ? exponent - 1 : 0;
    s.x_factor = static_cast<Accumulate>(std::copysign(std::ldexp(1.0, power), scale));
    s.unit = static_cast<Accumulate>(std::ldexp(std::fabs(scale), -power));
  }
  return s;
}
#endif

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

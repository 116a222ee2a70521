// SPDX-License-Identifier: MIT
// The logistic function sigmoid(x) = 1 / (1 + e^-x) and tanh in float and double, the same bits on both back ends and
// under every compile flag. Any thread may call them on its own value.
//
// Algorithm in float: 2^w = 2^k 2^f with k = w rounded to an integer, and 2^f - 1 by a polynomial (a minimax fit), so
// that 1 + 2^w is (2^k + 1) + 2^k (2^f - 1), rounded once. w is a product t * c with a constant c in two parts, reduced
// to f by fused multiply-adds and never rounded itself: rounding w would cost |w| / 2 ulp. The quotient is
// reciprocal_of_normal. In double: exp and a division, with the low part of the argument brought in as a factor.
#pragma once

#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/exp.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace math {

namespace detail {

// 2^w = scale * (1 + excess), where scale is a power of two.
struct split_power {
  float scale, excess;
};

// 1.5 * 2^23: adding it rounds a float below 2^22 to an integer, which then lies in the low bits of the sum.
inline constexpr float rounding_shift = 0x1.8p23f;

// From k + rounding_shift and f, |f| <= 1/2; -126 <= k <= 127. Relative error of 1 + excess: 2^-25.9.
ROWFOLD_DEVICE split_power split_exp2(float shifted_k, float f) {
  float p = 0x1.41fb9cp-13f;
  p = fma_rn(p, f, 0x1.5f3e7ep-10f);
  p = fma_rn(p, f, 0x1.3b2d4ep-7f);
  p = fma_rn(p, f, 0x1.c6aee8p-5f);
  p = fma_rn(p, f, 0x1.ebfbdcp-3f);
  p = fma_rn(p, f, 0x1.62e430p-1f);
  return {from_bits((to_bits(shifted_k) << 23) + 0x3f800000u), mul_rn(p, f)};
}

// 2^(t * (factor + factor_low)), where factor_low is at most half an ulp of factor.
ROWFOLD_DEVICE split_power exp2_of_product(float t, float factor, float factor_low) {
  const float shifted = fma_rn(t, factor, rounding_shift);
  const float f = fma_rn(t, factor, sub_rn(rounding_shift, shifted));
  return split_exp2(shifted, fma_rn(t, factor_low, f));
}

// 1 / (1 + 2^w). It is 0 where 2^w is above 2^126.
ROWFOLD_DEVICE float logistic(split_power power) {
  return reciprocal_of_normal(fma_rn(power.scale, power.excess, add_rn(power.scale, 1.0f)));
}

// 1 / (1 + e^(w + low)) for a w of any size and a small correction to it.
ROWFOLD_DEVICE double logistic(double w, double low) {
  const double power = exp(w);
  if (power == limits<double>::infinity) return 0.0;
  return div_rn(1.0, add_rn(1.0, fma_rn(power, low, power)));
}

// log2 e in two parts.
inline constexpr float log2_e = 0x1.715476p+0f, log2_e_low = 0x1.4ae0c0p-26f;

}  // namespace detail

// 1 / (1 + e^-x). sigmoid(0) is exactly 1/2, sigmoid(-inf) exactly 0, sigmoid(+inf) exactly 1. Float results below
// 2^-126 are 0. A NaN gives a NaN.
ROWFOLD_DEVICE float sigmoid(float x) {
  // Beyond these e^-x is nothing beside 1, or above 2^126.
  const float t = minimum(maximum(-x, -87.0f), 88.0f);
  return detail::logistic(detail::exp2_of_product(t, detail::log2_e, detail::log2_e_low));
}
ROWFOLD_DEVICE double sigmoid(double x) { return detail::logistic(-x, 0.0); }

// tanh(x) = (e^2t - 1) / (e^2t + 1) of t = |x|, with the sign of x. Exactly 1 for large x, also for +inf.
ROWFOLD_DEVICE float tanh(float x) {
  // 27 ln 2 / 2: e^2t is 2^27 there, to within rounding, so that the quotient is 1.
  const float t = limited_magnitude(x, 0x1.2b7088p+3f);
  const float minus_one = detail::exp_minus_one(add_rn(t, t));
  const float y = mul_rn(minus_one, reciprocal_of_normal(add_rn(minus_one, 2.0f)));
  return from_bits(to_bits(y) | (to_bits(x) & 0x80000000u));
}
ROWFOLD_DEVICE double tanh(double x) {
  const double t = limited_magnitude(x, 20.0);
  const double minus_one = detail::exp_minus_one(add_rn(t, t));
  const double y = div_rn(minus_one, add_rn(minus_one, 2.0));
  return from_bits(to_bits(y) | (to_bits(x) & 0x8000000000000000ull));
}

namespace fast {

// tanh(x), relative error at most 2^-21: near 0 x + x^3 P(x^2), P a minimax fit (2^-23), else 1 - 2 / (e^2t + 1) of
// t = |x| by the hardware's 2^x and 1/x, where 2 / (e^2t + 1) is less than half. A NaN gives a NaN.
ROWFOLD_DEVICE float tanh(float x) {
  const float t = limited_magnitude(x, 10.0f);  // the result is 1 there, to within rounding
  const float apart = fma_rn(-2.0f, logistic_of_power(mul_rn(t, 0x1.715476p+1f)), 1.0f);  // 2 log2 e
  const float square = mul_rn(t, t);
  float p = 0x1.fdf634p-7f;
  p = fma_rn(p, square, -0x1.ab7608p-5f);
  p = fma_rn(p, square, 0x1.10a456p-3f);
  p = fma_rn(p, square, -0x1.555362p-2f);
  const float near_zero = fma_rn(mul_rn(square, t), p, t);
  const float y = t < 0.6f ? near_zero : apart;
  return from_bits(to_bits(y) | (to_bits(x) & 0x80000000u));
}

}  // namespace fast

}  // namespace math
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

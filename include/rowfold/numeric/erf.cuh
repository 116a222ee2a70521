// SPDX-License-Identifier: MIT
// The error function, and the upper tail of the normal distribution, Q(t) = erfc(t / sqrt 2) / 2, from which GELU is
// made; in float and double, the same bits on both back ends and under every compile flag. Any thread may call them on
// its own value.
//
// Q in float: 1 / Q(t) = 2^k p(r) G(t) with t^2 = k L + r. The step L = 1.3125 has few digits, so that k L and r are
// exact; it is not quite that of e^(t^2/2), 2 ln 2 = 1.386: what it leaves over makes G a function that a polynomial of
// degree 9 meets best. p(r) = 1 + r P(r) is e^(r ln 2 / L), and G + G r P is rounded once. The polynomials are minimax
// fits, whose coefficients were then moved by some units in the last place towards the smallest error in GELU.
// Q in double: e^(-t^2/2) with the square in two parts, and (1 + t) Q e^(t^2/2) as a polynomial in (t - 4) / (t + 4),
// after Shepherd and Laframboise ("Chebyshev approximation of (1 + 2x) exp(x^2) erfc x", 1981).
// erf near 0: x + x R(x^2).
#pragma once

#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/exp.cuh"
#include "rowfold/numeric/logistic.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace math {

namespace fast {

// Q(t) for t >= 0 by the hardware's 2^x and 1/x: e^(-t^2/2) u P(u) with u = 1 / (1 + 0.3 t), P a minimax fit to 2^-24
// of max(Q, 2^-10), and to 2^-20 of Q. With all roundings the error is at most 2^-19.9 of max(Q, 2^-10), beside that of
// rounding the exponent w, |w| 2^-22. Where e^(-t^2/2) is below 2^-126 the result is zero.
ROWFOLD_DEVICE float upper_tail(float t) {
  const float u = ptx::reciprocal_approximate(fma_rn(t, 0x1.333334p-2f, 1.0f));
  float p = 0x1.2aba4ap-5f;
  p = fma_rn(p, u, -0x1.48030ap-3f);
  p = fma_rn(p, u, 0x1.afabecp-3f);
  p = fma_rn(p, u, -0x1.d3371ap-5f);
  p = fma_rn(p, u, 0x1.0a0562p-3f);
  p = fma_rn(p, u, 0x1.9835e4p-4f);
  p = fma_rn(p, u, 0x1.eeaac2p-4f);
  p = fma_rn(p, u, 0x1.ea013cp-4f);
  const float power = ptx::exp2_approximate(mul_rn(mul_rn(t, t), -0x1.715476p-1f));  // log2 e / 2
  return mul_rn(mul_rn(p, u), power);
}

}  // namespace fast

namespace detail {

// From here on the upper tail is 0: 1 / Q as computed is between 2^126 and 2^128.
template <class T>
inline constexpr T upper_tail_end = T(40);
template <>
inline constexpr float upper_tail_end<float> = 12.4f;

// Q(t) for 0 <= t <= upper_tail_end, to within 2^-22 of max(Q(t), 2^-10) in float. A NaN gives a NaN.
ROWFOLD_DEVICE float upper_tail(float t) {
  constexpr float step = 1.3125f;  // 5 bits: k * step is exact
  const float shifted = fma_rn(mul_rn(t, t), 0x1.861862p-1f, rounding_shift);
  const float r = fma_rn(t, t, -mul_rn(sub_rn(shifted, rounding_shift), step));
  float p = 0x1.f7e0c6p-16f;
  p = fma_rn(p, r, 0x1.68b8c8p-12f);
  p = fma_rn(p, r, 0x1.a8d4fep-9f);
  p = fma_rn(p, r, 0x1.9232f2p-6f);
  p = fma_rn(p, r, 0x1.1d989cp-3f);
  p = fma_rn(p, r, 0x1.0e64b8p-1f);
  float g = 0x1.803944p-21f;
  g = fma_rn(g, t, -0x1.1eafp-16f);
  g = fma_rn(g, t, 0x1.7f2b58p-13f);
  g = fma_rn(g, t, -0x1.404082p-10f);
  g = fma_rn(g, t, 0x1.6e7b52p-8f);
  g = fma_rn(g, t, -0x1.f30762p-8f);
  g = fma_rn(g, t, -0x1.7bca9ep-4f);
  g = fma_rn(g, t, 0x1.bc6c5ap-3f);
  g = fma_rn(g, t, 0x1.988456p+0f);
  g = fma_rn(g, t, 2.0f);
  const float scaled = fma_rn(mul_rn(g, r), p, g);
  // 2^k is added to the exponent. (For a NaN that makes no sense, and maybe no NaN: GELU adds one of its own.)
  return reciprocal_of_normal(from_bits(to_bits(scaled) + (to_bits(shifted) << 23)));
}

ROWFOLD_DEVICE double upper_tail(double t) {
  const double u = div_rn(sub_rn(t, 4.0), add_rn(t, 4.0));
  constexpr double coefficients[] = {
      0x1.e361ea6fba141p-2,  -0x1.8c18f2086e34ep-4,  0x1.cabd72a60fa9cp-7,   0x1.d4969f10e06bfp-6,
      -0x1.07c3c2582d6efp-5, 0x1.25dd7205f363dp-6,   -0x1.47d5fc736f73bp-8,  -0x1.2b7f5dd12d8bap-12,
      0x1.6c5382b90340ap-11, -0x1.8c11b7270b0c0p-14, -0x1.707ba43fbd1adp-14, 0x1.64844fea4ed90p-16,
      0x1.c93e10eda1e4ap-17, -0x1.ccaa7fe696948p-19, -0x1.5eb4bbc94b62cp-19, 0x1.b25db929cb978p-22,
      0x1.286abb182f7f7p-21, 0x1.87a8e823403e1p-30,  -0x1.dd6dbf3d7cec6p-24, -0x1.56036bcfccdc0p-26,
      0x1.31255cdd06919p-26, 0x1.aebe35b78fb74p-28,  -0x1.b14514241344cp-30, -0x1.b8fb1261c21e8p-31};
  double g = coefficients[23];
  ROWFOLD_UNROLL
  for (int i = 22; i >= 0; --i) g = fma_rn(g, u, coefficients[i]);
  const double quotient = div_rn(g, add_rn(1.0, t));
  // e^(-t^2 / 2) = 2^k (1 + excess), what the rounding of the square left out included.
  const double square = mul_rn(t, t);
  const double square_low = fma_rn(t, t, -square);
  const split_exp<double> power = reduce_exp(mul_rn(square, -0.5));
  const double excess = fma_rn(add_rn(1.0, power.excess), mul_rn(square_low, -0.5), power.excess);
  return scale_by_power(fma_rn(quotient, excess, quotient), power.k);
}

// R(z) = erf(sqrt z) / sqrt z - 1 for 0 <= z <= 0.64.
ROWFOLD_DEVICE float erf_near_zero(float z) {
  float q = 0x1.7fe642p-14f;
  q = fma_rn(q, z, -0x1.b35efep-11f);
  q = fma_rn(q, z, 0x1.55ac18p-8f);
  q = fma_rn(q, z, -0x1.b8231ap-6f);
  q = fma_rn(q, z, 0x1.ce2edep-4f);
  q = fma_rn(q, z, -0x1.812746p-2f);
  return fma_rn(q, z, 0x1.06eba8p-3f);
}
ROWFOLD_DEVICE double erf_near_zero(double z) {
  double q = 0x1.34b5131dbdc6cp-34;
  q = fma_rn(q, z, -0x1.464d02f3045e2p-30);
  q = fma_rn(q, z, 0x1.fb440015d855fp-27);
  q = fma_rn(q, z, -0x1.5f63cab50c137p-23);
  q = fma_rn(q, z, 0x1.b9e5d7b799a24p-20);
  q = fma_rn(q, z, -0x1.f4d2529f7b546p-17);
  q = fma_rn(q, z, 0x1.f9a326b6a78fcp-14);
  q = fma_rn(q, z, -0x1.c02db3ff0712ep-11);
  q = fma_rn(q, z, 0x1.565bcd0e66a5cp-8);
  q = fma_rn(q, z, -0x1.b82ce31288a7ep-6);
  q = fma_rn(q, z, 0x1.ce2f21a042be0p-4);
  q = fma_rn(q, z, -0x1.812746b0379e7p-2);
  return fma_rn(q, z, 0x1.06eba8214db69p-3);
}

}  // namespace detail

// erf(x) for float and double; +-1 for large x and +-inf, NaN for a NaN.
template <class T>
ROWFOLD_DEVICE T erf(T x) {
  const T t = absolute(x);
  if (t < T(0.8)) return fma_rn(x, detail::erf_near_zero(mul_rn(x, x)), x);
  if (is_nan(x)) return canonical_nan<T>();
  const T scaled = minimum(mul_rn(t, T(0x1.6a09e667f3bcdp0)), detail::upper_tail_end<T>);  // sqrt 2
  const T y = fma_rn(T(-2), detail::upper_tail(scaled), T(1));
  return x < T(0) ? -y : y;
}

}  // namespace math
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// e^x in float and double, the same bits on both back ends and under every compile flag (-ftz=true turns subnormal
// float results into zero). Algorithm: the classic reduction x = k ln 2 + r with |r| <= ln 2 / 2, where k is rounded by
// adding and subtracting 1.5 * 2^(digits - 1) and ln 2 is held in two parts (Cody and Waite), then a polynomial for
// e^r = 1 + (r + r^2 q(r)) and a scaling by 2^k in two exact steps, so that a subnormal result is rounded once. The
// coefficients of q interpolate (e^r - 1 - r) / r^2 at the Chebyshev nodes of the interval. Error below 1 ulp in float
// (every float was compared with double) and in double (sampled against long double): tests/numeric/exp_test.cpp.
// Any thread may call it on its own value.
#pragma once

#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace math {

namespace detail {

// p * 2^k, p in [0.5, 2), |k| < 512 (float) or 2048 (double): two factors, each a normal power of two.
ROWFOLD_DEVICE float scale_by_power(float p, int k) {
  const int half = k >> 1;
  const float first = from_bits(static_cast<unsigned>(half + 127) << 23);
  const float second = from_bits(static_cast<unsigned>(k - half + 127) << 23);
  return mul_rn(mul_rn(p, first), second);
}
ROWFOLD_DEVICE double scale_by_power(double p, int k) {
  const int half = k >> 1;
  const double first = from_bits(static_cast<unsigned long long>(half + 1023) << 52);
  const double second = from_bits(static_cast<unsigned long long>(k - half + 1023) << 52);
  return mul_rn(mul_rn(p, first), second);
}

}  // namespace detail

namespace detail {

// e^x = 2^k (1 + excess).
template <class T>
struct split_exp {
  T excess;
  int k;
};

// For -105 <= x <= 89 or NaN (whose k is meaningless).
ROWFOLD_DEVICE split_exp<float> reduce_exp(float x) {
  constexpr float shift = 0x1.8p23f;
  const float shifted = fma_rn(x, 0x1.715476p0f, shift);
  const float k = sub_rn(shifted, shift);
  const float r = fma_rn(k, 0x1.05c61p-29f, fma_rn(k, -0x1.62e43p-1f, x));
  float q = 0x1.a12528p-13f;
  q = fma_rn(q, r, 0x1.6d4362p-10f);
  q = fma_rn(q, r, 0x1.1110ep-7f);
  q = fma_rn(q, r, 0x1.5554e8p-5f);
  q = fma_rn(q, r, 0x1.555556p-3f);
  q = fma_rn(q, r, 0.5f);
  return {fma_rn(mul_rn(r, r), q, r), static_cast<int>(to_bits(shifted) - to_bits(shift))};
}

// For |x| <= 1000 or NaN.
ROWFOLD_DEVICE split_exp<double> reduce_exp(double x) {
  constexpr double shift = 0x1.8p52;
  const double shifted = fma_rn(x, 0x1.71547652b82fep0, shift);
  const double k = sub_rn(shifted, shift);
  const double r = fma_rn(k, -0x1.abc9e3b39803fp-56, fma_rn(k, -0x1.62e42fefa39efp-1, x));
  double q = 0x1.1f731ea5352cap-29;
  q = fma_rn(q, r, 0x1.af4e196027428p-26);
  q = fma_rn(q, r, 0x1.27e4db57442fbp-22);
  q = fma_rn(q, r, 0x1.71de021a90822p-19);
  q = fma_rn(q, r, 0x1.a01a01a6dcaffp-16);
  q = fma_rn(q, r, 0x1.a01a01abef415p-13);
  q = fma_rn(q, r, 0x1.6c16c16c162ccp-10);
  q = fma_rn(q, r, 0x1.11111111100cep-7);
  q = fma_rn(q, r, 0x1.5555555555556p-5);
  q = fma_rn(q, r, 0x1.5555555555557p-3);
  q = fma_rn(q, r, 0.5);
  return {fma_rn(mul_rn(r, r), q, r), static_cast<int>(to_bits(shifted) - to_bits(shift))};
}

// e^x - 1 for |x| <= 80 (float) or 700 (double), accurate near 0 as well.
ROWFOLD_DEVICE float exp_minus_one(float x) {
  const split_exp<float> power = reduce_exp(x);
  const float scale = from_bits(static_cast<unsigned>(power.k + 127) << 23);
  return fma_rn(scale, power.excess, sub_rn(scale, 1.0f));
}
ROWFOLD_DEVICE double exp_minus_one(double x) {
  const split_exp<double> power = reduce_exp(x);
  const double scale = from_bits(static_cast<unsigned long long>(power.k + 1023) << 52);
  return fma_rn(scale, power.excess, sub_rn(scale, 1.0));
}

}  // namespace detail

// e^x. exp(0) is exactly 1, exp(-inf) exactly 0; overflow gives +inf, a NaN gives a NaN.
//   float weight = rowfold::math::exp(rowfold::math::sub_rn(x, row_maximum));
ROWFOLD_DEVICE float exp(float x) {
  // Beyond these the result is 0 (below 2^-150) or infinite; a NaN passes both comparisons.
  x = x < -105.0f ? -105.0f : x;
  x = x > 89.0f ? 89.0f : x;
  const detail::split_exp<float> power = detail::reduce_exp(x);
  return detail::scale_by_power(add_rn(1.0f, power.excess), power.k);
}

ROWFOLD_DEVICE double exp(double x) {
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const detail::split_exp<double> power = detail::reduce_exp(x);
  return detail::scale_by_power(add_rn(1.0, power.excess), power.k);
}

}  // namespace math
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

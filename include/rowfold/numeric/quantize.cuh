// SPDX-License-Identifier: MIT
// Quantising to the 8-bit types __nv_fp8_e4m3, __nv_fp8_e5m2 and signed char: q = x / scale, the quotient rounded to
// float and then to the type, each time to nearest even. Infinities saturate, a NaN stays a NaN (0 in signed char). Any
// thread may call these on its own values.
//   const float scale = rowfold::dynamic_scale<__nv_fp8_e4m3>(row_amax);    // or a static one
//   const rowfold::scale_divider<__nv_fp8_e4m3> divide(scale);                             // once per scale
//   q = rowfold::from_accumulate<__nv_fp8_e4m3>(divide(x));                 // per element
#pragma once

#include "rowfold/numeric/float8.cuh"
#include "rowfold/numeric/int8.cuh"
#include "rowfold/numeric/math.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// One value, by the definition above. For many values with one scale, scale_divider gives the same codes for less.
template <class T>
ROWFOLD_DEVICE T quantize(float x, float scale) {
  return from_accumulate<T>(math::div_rn(x, scale));
}

// Division by a scale that many values share, for quotients that are narrowed to T: three instructions (two for finite
// values and most scales, five for any value to signed char) in the place of the nine and the branch of a division.
//
// The reciprocal is held in two floats, high + low = 1 / scale, and x / scale is formed as fma(x, high, x * low), the
// method of Brisebarre, Muller and Raina ("Accelerating correctly rounded floating-point division when the divisor is
// known in advance", 2004). What is rounded there differs from the quotient by less than 8 units of 2^-25 ulp, so that
// the result is the correctly rounded quotient unless a midpoint of two floats lies in between; then it may be that
// float's neighbour. For the codes to differ, one of the two floats must itself be a midpoint of two codes.
// tests/numeric/quantize_test.cpp enumerates all operands for which that happens, and finds the codes right.
//
// For the 8-bit floats high is rounded towards zero, so that low has its sign: infinities and -0 come out right. That
// is not close enough for signed char, which has midpoints of more digits: there high is rounded to nearest.
template <class T>
class scale_divider {
  static constexpr bool nearest = is_same<T, signed char>;

 public:
  scale_divider() = default;  // of no scale yet: nothing may be divided by it

  // `scale` is finite or NaN. Zero divides as IEEE 754 has it: 0 / 0 is NaN, all else saturates.
  ROWFOLD_DEVICE explicit scale_divider(float scale) {
    // Both operands are multiplied by the power of two that takes the scale into [1, 2) (its exponent is limited so
    // that the power is a normal number): no part of the reciprocal is subnormal then, and no product overflows.
    const unsigned exponent = math::to_bits(scale) >> 23 & 0xffu;
    const unsigned limited = exponent > 253u ? 253u : exponent;
    prescale_ = math::from_bits((254u - limited) << 23);
    const float divisor = math::mul_rn(scale, prescale_);
    set_reciprocal(divisor);
    // Infinities need a low that is not 0, but far below what could change a code.
    if constexpr (!nearest) low_ = low_ == 0.0f ? math::mul_rn(high_, 0x1p-60f) : low_;
    if (divisor == 0.0f) high_ = low_ = math::from_bits(math::to_bits(scale) | 0x7f800000u);
  }

  // Of a scale that dynamic_scale made, for finite values (divide_finite, divide_unscaled): without a branch, and with
  // a prescale for huge scales alone, as both parts of the reciprocals of scales below 2^64 are normal numbers.
  static ROWFOLD_DEVICE scale_divider by_dynamic(float scale) {
    scale_divider d;
    d.prescale_ = scale < 0x1p64f ? 1.0f : 0x1p-64f;
    d.set_reciprocal(math::mul_rn(scale, d.prescale_));
    return d;
  }

  // x / scale, to be narrowed to T.
  ROWFOLD_DEVICE float operator()(float x) const {
    const float scaled = math::mul_rn(x, prescale_);
    if constexpr (nearest) {
      // Infinities become finite, as low may have the other sign. 2^20 / scale saturates, as scale is below 4.
      return divide_unscaled(math::minimum(math::maximum(scaled, -0x1p20f), 0x1p20f));
    } else {
      return divide_unscaled(scaled);
    }
  }

  // The same where x and x / scale are finite: always with dynamic scales, as a row with an infinity has the scale NaN.
  ROWFOLD_DEVICE float divide_finite(float x) const { return divide_unscaled(math::mul_rn(x, prescale_)); }

  // The same, where it does not prescale, for one instruction less.
  ROWFOLD_DEVICE bool prescales() const { return prescale_ != 1.0f; }
  ROWFOLD_DEVICE float divide_unscaled(float x) const { return math::fma_rn(x, high_, math::mul_rn(x, low_)); }

 private:
  // high_ + low_ = 1 / divisor, a normal number up to 2^64 or NaN.
  ROWFOLD_DEVICE void set_reciprocal(float divisor) {
    const float reciprocal = math::reciprocal_of_normal(divisor);
    high_ = reciprocal;
    float remainder = math::fma_rn(-reciprocal, divisor, 1.0f);
    if constexpr (!nearest) {
      const bool above = remainder < 0.0f;
      high_ = math::from_bits(math::to_bits(reciprocal) - (above ? 1u : 0u));
      remainder = math::fma_rn(-high_, divisor, 1.0f);
    }
    // remainder / divisor, by an estimate and its own remainder.
    const float estimate = math::mul_rn(remainder, reciprocal);
    low_ = math::fma_rn(math::fma_rn(-estimate, divisor, remainder), reciprocal, estimate);
  }

  float prescale_, high_, low_;
};

// The scale of a row (or group) whose largest absolute value is `amax`: amax / max_finite<T> (448, 57344, 127), at
// least 2^-126 so that it is a normal number; 1 for a row of zeros, NaN for a row that holds a NaN or an infinity.
//
// The division is the estimate amax * (1 / max_finite) and its remainder, which is exact wherever the quotient is a
// normal number, added back (Markstein 1990): the correctly rounded quotient, without the branch of a division.
template <class T>
ROWFOLD_DEVICE float dynamic_scale(float amax) {
  constexpr float reciprocal = 1 / max_finite<T>;
  const bool small = amax < 0x1p-90f;  // times 2^60, so that the remainder is a normal number, too
  const float dividend = small ? math::mul_rn(amax, 0x1p60f) : amax;
  const float estimate = math::mul_rn(dividend, reciprocal);
  const float remainder = math::fma_rn(-estimate, max_finite<T>, dividend);
  const float quotient = math::fma_rn(remainder, reciprocal, estimate);
  const float least = small ? 0x1p-66f : limits<float>::min_normal;
  // An infinity's remainder is a NaN.
  const float scale = math::mul_rn(math::maximum(quotient, least), small ? 0x1p-60f : 1.0f);
  return amax == 0.0f ? 1.0f : scale;
}

// The smallest power of two that is not less than `scale`, a positive normal number (what dynamic_scale returns); NaN
// stays.
ROWFOLD_DEVICE float power_of_two_scale(float scale) {
  return math::is_nan(scale) ? scale : math::from_bits((math::to_bits(scale) + 0x7fffffu) & 0xff800000u);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

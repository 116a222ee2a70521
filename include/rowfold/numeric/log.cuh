// SPDX-License-Identifier: MIT
// The natural logarithm in float and double, the same bits on both back ends and under every compile flag (-ftz=true
// counts a subnormal float as zero). Algorithm: x = 2^k (1 + f) with 1 + f in [2/3, 4/3), so that k is 0 around x = 1
// and nothing cancels there; then log(1 + f), by a polynomial f + f^2 q(f) in float, and in double by the series of the
// area tangent, log(1 + f) = 2 artanh(f / (2 + f)), in the form f - (h - s (h + s^2 R(s^2))), h = f^2 / 2, s = f / (2 +
// f), of Sun's fdlibm, in which every rounding error but the last is scaled down; at last k ln 2, in two parts in
// double. The polynomials are minimax fits of this library. Error below 1 ulp in float and in double:
// tests/numeric/log_test.cpp. Any thread may call it on its own value.
#pragma once

#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace math {

// log(x). log(1) is exactly +0, log(+-0) is -inf, log(+inf) is +inf; a NaN or a negative x gives a NaN.
//   float log_sum_exp = rowfold::math::add_rn(row.max, rowfold::math::log(row.sum));
ROWFOLD_DEVICE float log(float x) {
  if (!(x > 0.0f) || !is_finite(x)) {
    return x == 0.0f ? -limits<float>::infinity : (x > 0.0f ? x : canonical_nan<float>());
  }
  const bool subnormal = x < limits<float>::min_normal;
  const float scaled = subnormal ? mul_rn(x, 0x1p23f) : x;
  // The exponent of x / (2/3), as a multiple of one unit of it: what is subtracted leaves the significand in [2/3,
  // 4/3).
  const int exponent = static_cast<int>(to_bits(scaled) - to_bits(0x1.555556p-1f)) & ~0x7fffff;
  const float f = sub_rn(from_bits(to_bits(scaled) - static_cast<unsigned>(exponent)), 1.0f);
  float q = -0x1.09358cp-3f;
  q = fma_rn(q, f, 0x1.1ed4cep-3f);
  q = fma_rn(q, f, -0x1.f25c4ap-4f);
  q = fma_rn(q, f, 0x1.1ebdbep-3f);
  q = fma_rn(q, f, -0x1.55a762p-3f);
  q = fma_rn(q, f, 0x1.99d1fcp-3f);
  q = fma_rn(q, f, -0x1.fffe84p-3f);
  q = fma_rn(q, f, 0x1.555502p-2f);
  q = fma_rn(q, f, -0.5f);
  const float log_significand = fma_rn(mul_rn(f, f), q, f);
  const float k = static_cast<float>((exponent >> 23) - (subnormal ? 23 : 0));  // exact
  return fma_rn(k, 0x1.62e430p-1f, log_significand);
}

ROWFOLD_DEVICE double log(double x) {
  if (!(x > 0.0) || !is_finite(x)) {
    return x == 0.0 ? -limits<double>::infinity : (x > 0.0 ? x : canonical_nan<double>());
  }
  const bool subnormal = x < limits<double>::min_normal;
  const double scaled = subnormal ? mul_rn(x, 0x1p52) : x;
  const long long exponent =
      static_cast<long long>(to_bits(scaled) - to_bits(0x1.5555555555555p-1)) & ~0xfffffffffffffll;
  const double f = sub_rn(from_bits(to_bits(scaled) - static_cast<unsigned long long>(exponent)), 1.0);
  const double s = div_rn(f, add_rn(2.0, f));
  const double z = mul_rn(s, s);
  double r = 0x1.16a6bc9c311efp-3;
  r = fma_rn(r, z, 0x1.0e8af7d791ceap-3);
  r = fma_rn(r, z, 0x1.3b29e206cef6fp-3);
  r = fma_rn(r, z, 0x1.745cabd235dd8p-3);
  r = fma_rn(r, z, 0x1.c71c72e0c9e5fp-3);
  r = fma_rn(r, z, 0x1.24924923dd530p-2);
  r = fma_rn(r, z, 0x1.9999999999f21p-2);
  r = fma_rn(r, z, 0x1.5555555555555p-1);
  const double h = mul_rn(mul_rn(f, f), 0.5);
  const double k = static_cast<double>((exponent >> 52) - (subnormal ? 52 : 0));
  const double correction = fma_rn(s, fma_rn(r, z, h), mul_rn(k, 0x1.473de6af278edp-34));
  // ln 2 in two parts, the first of 33 digits: its product with k is exact.
  return fma_rn(k, 0x1.62e42fefp-1, sub_rn(f, sub_rn(h, correction)));
}

}  // namespace math
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

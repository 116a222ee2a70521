// SPDX-License-Identifier: MIT
// e^(d * unit) for d <= 0: the weight of a value that lies d below the largest one, as softmax needs it for every
// element. Any thread may call weight_of on its own value.
//
// approximate_exp_weight (float), for results of 16 bits: two instructions, one of them the hardware's 2^x. Weights
// come multiplied by 2^8, which costs nothing with the fused multiply-add that also forms the exponent, and keeps those
// that a 16-bit result can show above what the hardware takes for zero: a weight below 2^-134 is 0. Relative error at
// most 2^-21 + |d * unit| * 2^-23. The last bits differ between the GPU and the CPU back end, and may differ between
// GPUs.
//
// exact_exp_weight<float>: twelve instructions, the same bits on both back ends. 2^u with u = d * rate is split into
// 2^k * 2^f with an integer k and |f| <= 1/2, both by fused multiply-adds, so that the product u is never rounded (k by
// adding and subtracting 1.5 * 2^23, after Cody and Waite). 2^f is a polynomial: 1, and six coefficients from an
// exchange algorithm (Remez) for the relative error, the lower ones then tried in their last places. k is added to the
// bits of the exponent; weights come multiplied by a power of two, so that none that counts is subnormal. Relative
// error of 2^f: at most 0.55 * 2^-23; the rounding of rate adds |d * unit| * 2^-24.
//
// exact_exp_weight<double>: math::exp of the rounded product.
//
// No compile flag changes a weight, but that with -ftz=true subnormal numbers count as zero.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/exp.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/ptx/approximate.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// What a weight is, as make_weight prepares it. Weights are `scale` times e^(d * unit).
template <class Accumulate>
struct exact_exp_weight;

template <>
struct exact_exp_weight<float> {
  using value_type = float;
  static constexpr int log2_scale = 26;
  static constexpr float scale = 0x1p26f;
  static constexpr float inverse_scale = 0x1p-26f;

  float unit;
  float rate;    // unit / ln 2
  float lowest;  // below it every weight is scale * 2^-151, which becomes 0 when it is divided by a sum of weights
};

template <>
struct exact_exp_weight<double> {
  using value_type = double;
  static constexpr double scale = 1;
  static constexpr double inverse_scale = 1;

  double unit;
};

struct approximate_exp_weight {
  using value_type = float;
  static constexpr float log2_scale = 8;
  static constexpr float scale = 0x1p8f;
  static constexpr float inverse_scale = 0x1p-8f;

  float unit;
  float rate;  // unit / ln 2
};

// unit: finite, at least 1, at most 2^100.
template <class Weight>
ROWFOLD_HOST_DEVICE constexpr Weight make_weight(double unit) {
  const double rate = unit * 0x1.71547652b82fep0;
  if constexpr (is_same<Weight, exact_exp_weight<float>>) {
    return {static_cast<float>(unit), static_cast<float>(rate), static_cast<float>(-151.0 / rate)};
  } else if constexpr (is_same<Weight, approximate_exp_weight>) {
    return {static_cast<float>(unit), static_cast<float>(rate)};
  } else {
    return {unit};
  }
}

inline namespace ROWFOLD_BACKEND {

namespace detail {

#if defined(__CUDACC__)
// The larger of a and b; b where a is a NaN.
ROWFOLD_DEVICE float larger_number(float a, float b) { return fmaxf(a, b); }
#else
inline float larger_number(float a, float b) { return a > b ? a : b; }
#endif

}  // namespace detail

// e^(d * unit) * scale. d: 0 or negative. Of -inf: 0, or with exact_exp_weight<float> something that becomes 0 when it
// is divided by a sum of weights to which a d of 0 belongs. Of a NaN: unspecified.
ROWFOLD_DEVICE float weight_of(const exact_exp_weight<float>& w, float d) {
  constexpr float shift = 0x1.8p23f + exact_exp_weight<float>::log2_scale;
  d = detail::larger_number(d, w.lowest);
  const float shifted = math::fma_rn(d, w.rate, shift);
  const float f = math::fma_rn(d, w.rate, -math::sub_rn(shifted, shift));
  float p = 0x1.446c7ep-13f;
  p = math::fma_rn(p, f, 0x1.5f88fep-10f);
  p = math::fma_rn(p, f, 0x1.3b29e4p-7f);
  p = math::fma_rn(p, f, 0x1.c6ae22p-5f);
  p = math::fma_rn(p, f, 0x1.ebfbe4p-3f);
  p = math::fma_rn(p, f, 0x1.62e432p-1f);
  p = math::fma_rn(p, f, 1.0f);
  // The low 9 bits of shifted hold k + log2_scale; the others leave the word.
  return math::from_bits(math::to_bits(p) + (math::to_bits(shifted) << 23));
}

ROWFOLD_DEVICE double weight_of(const exact_exp_weight<double>& w, double d) {
  return math::exp(math::mul_rn(d, w.unit));
}

ROWFOLD_DEVICE float weight_of(const approximate_exp_weight& w, float d) {
  return ptx::exp2_approximate(math::fma_rn(d, w.rate, approximate_exp_weight::log2_scale));
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

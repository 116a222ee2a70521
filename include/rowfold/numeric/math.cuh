// SPDX-License-Identifier: MIT
// Arithmetic whose result no compile flag changes. Every function rounds once, to nearest even, whatever -fmad,
// -prec-div, -prec-sqrt or -use_fast_math say: on the GPU by the intrinsics that name their rounding, on the CPU by the
// plain operation of IEEE 754 (the target rowfold::cpu compiles with -ffp-contract=off). The same bits come out on both
// back ends; under -ftz=true float subnormals become zero on the GPU, and nothing else differs.
// Any thread may call these, each on its own values. Example, a * b + c with one rounding:
//   float y = rowfold::math::fma_rn(a, b, c);
#pragma once

#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/ptx/approximate.cuh"
#include "rowfold/simt/backend.hpp"
#if !defined(__CUDACC__)
#include <cmath>
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace math {

#if defined(__CUDACC__)

ROWFOLD_DEVICE float add_rn(float a, float b) { return __fadd_rn(a, b); }
ROWFOLD_DEVICE float sub_rn(float a, float b) { return __fsub_rn(a, b); }
ROWFOLD_DEVICE float mul_rn(float a, float b) { return __fmul_rn(a, b); }
ROWFOLD_DEVICE float fma_rn(float a, float b, float c) { return __fmaf_rn(a, b, c); }
ROWFOLD_DEVICE float div_rn(float a, float b) { return __fdiv_rn(a, b); }
ROWFOLD_DEVICE float sqrt_rn(float x) { return __fsqrt_rn(x); }
ROWFOLD_DEVICE float rsqrt_rn(float x) { return __frsqrt_rn(x); }

ROWFOLD_DEVICE double add_rn(double a, double b) { return __dadd_rn(a, b); }
ROWFOLD_DEVICE double sub_rn(double a, double b) { return __dsub_rn(a, b); }
ROWFOLD_DEVICE double mul_rn(double a, double b) { return __dmul_rn(a, b); }
ROWFOLD_DEVICE double fma_rn(double a, double b, double c) { return __fma_rn(a, b, c); }
ROWFOLD_DEVICE double div_rn(double a, double b) { return __ddiv_rn(a, b); }
ROWFOLD_DEVICE double sqrt_rn(double x) { return __dsqrt_rn(x); }

#else

namespace detail {
// NaN results become the one that the GPU returns; see canonical_nan.
template <class T>
inline T settle(T x) {
  return is_nan(x) ? canonical_nan<T>() : x;
}
}  // namespace detail

inline float add_rn(float a, float b) { return detail::settle(a + b); }
inline float sub_rn(float a, float b) { return detail::settle(a - b); }
inline float mul_rn(float a, float b) { return detail::settle(a * b); }
inline float fma_rn(float a, float b, float c) { return detail::settle(std::fma(a, b, c)); }
inline float div_rn(float a, float b) { return detail::settle(a / b); }
inline float sqrt_rn(float x) { return detail::settle(std::sqrt(x)); }
// The double value rounds to the correctly rounded float for every float (all 2^24 significands and exponent parities
// were compared with an exact computation), so that this equals the GPU's __frsqrt_rn.
inline float rsqrt_rn(float x) { return detail::settle(static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)))); }

inline double add_rn(double a, double b) { return detail::settle(a + b); }
inline double sub_rn(double a, double b) { return detail::settle(a - b); }
inline double mul_rn(double a, double b) { return detail::settle(a * b); }
inline double fma_rn(double a, double b, double c) { return detail::settle(std::fma(a, b, c)); }
inline double div_rn(double a, double b) { return detail::settle(a / b); }
inline double sqrt_rn(double x) { return detail::settle(std::sqrt(x)); }

#endif

// 1 / x for 2^-126 <= |x| <= 2^126, in three instructions and without the branch that div_rn has for all other x; 0 for
// larger finite x. Rounded to nearest even: one Newton step after the hardware's approximation, the very instructions
// that nvcc emits for __frcp_rn in this range.
#if defined(__CUDACC__)
ROWFOLD_DEVICE float reciprocal_of_normal(float x) {
  const float approximate = ptx::reciprocal_approximate(x);
  return fma_rn(approximate, fma_rn(-x, approximate, 1.0f), approximate);
}
#else
inline float reciprocal_of_normal(float x) {
  return absolute(x) > 0x1p126f ? from_bits(to_bits(x) & 0x80000000u) : div_rn(1.0f, x);
}
#endif

// 1 / sqrt(x) for 2^-126 <= x < 2^64, with the bits of rsqrt_rn in half of its instructions: the step of third order
// that nvcc emits for __frsqrt_rn after the hardware's approximation (the residual 1 - x y^2 in two parts), without
// what other x need.
#if defined(__CUDACC__)
ROWFOLD_DEVICE float rsqrt_of_normal(float x) {
  const float y = ptx::rsqrt_approximate(x);
  const float square = mul_rn(y, y);
  const float rest = fma_rn(-x, fma_rn(y, y, -square), fma_rn(-x, square, 1.0f));
  return fma_rn(fma_rn(rest, 0.375f, 0.5f), mul_rn(y, rest), y);
}
#else
inline float rsqrt_of_normal(float x) { return rsqrt_rn(x); }
#endif
ROWFOLD_DEVICE bool is_for_rsqrt_of_normal(float x) {
  return to_bits(x) - to_bits(0x1p-126f) < to_bits(0x1p64f) - to_bits(0x1p-126f);
}

// 1 / sqrt(x) in double: the square root and the quotient are rounded each, and a Newton step takes most of that error
// away (0.501 ulp at most of three million, 1.5 above 2^900). No hardware has a correctly rounded one, and double is
// the checking type.
ROWFOLD_DEVICE double rsqrt_rn(double x) {
  const double y = div_rn(1.0, sqrt_rn(x));
  const double square = mul_rn(y, y);
  const double rest = fma_rn(-x, fma_rn(y, y, -square), fma_rn(-x, square, 1.0));
  // Where x is 0 or subnormal the square is infinite, above 2^900 it loses bits.
  return x < 0x1p900 && rest > -1.0 ? fma_rn(mul_rn(y, 0.5), rest, y) : y;
}

namespace detail {
// Equal values differ at most in the sign of zero, which the bits of both, and-ed or or-ed, decide.
template <class T>
ROWFOLD_DEVICE T maximum_by_comparison(T a, T b) {
  if (is_nan(a) || is_nan(b)) {
    return canonical_nan<T>();
  }
  return a > b ? a : (b > a ? b : from_bits(to_bits(a) & to_bits(b)));
}
template <class T>
ROWFOLD_DEVICE T minimum_by_comparison(T a, T b) {
  if (is_nan(a) || is_nan(b)) {
    return canonical_nan<T>();
  }
  return a < b ? a : (b < a ? b : from_bits(to_bits(a) | to_bits(b)));
}
}  // namespace detail

// The larger or the smaller of two values; a NaN if either is one; +0 counts as larger than -0 (maximum and minimum of
// IEEE 754-2019). The operands may be exchanged without changing a bit. One instruction for float from sm_80 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
ROWFOLD_DEVICE float maximum(float a, float b) { return ptx::max_nan(a, b); }
ROWFOLD_DEVICE float minimum(float a, float b) { return ptx::min_nan(a, b); }
#else
ROWFOLD_DEVICE float maximum(float a, float b) { return detail::maximum_by_comparison(a, b); }
ROWFOLD_DEVICE float minimum(float a, float b) { return detail::minimum_by_comparison(a, b); }
#endif
ROWFOLD_DEVICE double maximum(double a, double b) { return detail::maximum_by_comparison(a, b); }
ROWFOLD_DEVICE double minimum(double a, double b) { return detail::minimum_by_comparison(a, b); }

// maximum(|a|, |b|).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
ROWFOLD_DEVICE float larger_magnitude(float a, float b) { return ptx::max_nan_of_absolutes(a, b); }
#else
ROWFOLD_DEVICE float larger_magnitude(float a, float b) { return maximum(absolute(a), absolute(b)); }
#endif
ROWFOLD_DEVICE double larger_magnitude(double a, double b) { return maximum(absolute(a), absolute(b)); }

// minimum(|x|, limit).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
ROWFOLD_DEVICE float limited_magnitude(float x, float limit) { return ptx::min_nan_of_absolute(x, limit); }
#else
ROWFOLD_DEVICE float limited_magnitude(float x, float limit) { return minimum(absolute(x), limit); }
#endif
ROWFOLD_DEVICE double limited_magnitude(double x, double limit) { return minimum(absolute(x), limit); }

// Approximations for callers that ask for speed. Their error is bounded, their bits are not: they differ between the
// back ends and may differ between GPUs.
namespace fast {

// 1 / sqrt(x), relative error at most 2^-22.9 on the GPU (PTX ISA, rsqrt.approx.ftz.f32); subnormal x counts as zero.
ROWFOLD_DEVICE float rsqrt(float x) { return ptx::rsqrt_approximate(x); }
ROWFOLD_DEVICE double rsqrt(double x) { return rsqrt_rn(x); }

// e^x, relative error at most 2^-22 + |x| 2^-24 on the GPU (ex2.approx.ftz.f32 of x log2 e); subnormal results are
// zero. The product with log2 e is rounded, so that large |x| lose accuracy: meant for x in [-20, 20].
ROWFOLD_DEVICE float exp(float x) { return ptx::exp2_approximate(mul_rn(x, 0x1.715476p0f)); }

// 1 / (1 + 2^w), relative error at most 2^-21 on the GPU (ex2.approx.ftz.f32, rcp.approx.ftz.f32), beside that of w;
// results below 2^-126 are zero.
ROWFOLD_DEVICE float logistic_of_power(float w) {
  return ptx::reciprocal_approximate(add_rn(1.0f, ptx::exp2_approximate(w)));
}

}  // namespace fast

}  // namespace math
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

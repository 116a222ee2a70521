// SPDX-License-Identifier: MIT
// The 8-bit floating-point types e4m3 and e5m2: they widen exactly to float, in which they are computed, and a float is
// narrowed with one rounding to nearest even; what is too large, infinities included, becomes the largest finite value,
// and a NaN becomes 0x7f, a NaN of both. One instruction for two from sm_89 on, the same bytes in software below. Kept
// out of convert.cuh because <cuda_fp8.h> costs every translation unit compile time. Any thread may call these.
//   float wide = rowfold::to_accumulate(q[i]);                                 // __nv_fp8_e4m3
//   q[i] = rowfold::from_accumulate<__nv_fp8_e4m3>(y / scale);
#pragma once

#include <cuda_fp8.h>

#include "rowfold/numeric/convert.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

template <>
struct accumulate<__nv_fp8_e4m3> {
  using type = float;
};
template <>
struct accumulate<__nv_fp8_e5m2> {
  using type = float;
};
template <>
inline constexpr float max_finite<__nv_fp8_e4m3> = 448.0f;
template <>
inline constexpr float max_finite<__nv_fp8_e5m2> = 57344.0f;

inline namespace ROWFOLD_BACKEND {

namespace detail {

// half holds every value of both formats. One instruction for two from sm_89 on.
template <__nv_fp8_interpretation_t Format>
ROWFOLD_DEVICE float2 widen_float8_pair(unsigned bits) {
  return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(bits), Format)));
}
template <__nv_fp8_interpretation_t Format>
ROWFOLD_DEVICE float_quad widen_float8_quad(unsigned bits) {
  const float2 low = widen_float8_pair<Format>(bits & 0xffffu);
  const float2 high = widen_float8_pair<Format>(bits >> 16);
  return {{low.x, low.y, high.x, high.y}};
}

template <class T, __nv_fp8_interpretation_t Format>
ROWFOLD_DEVICE T narrow_to_float8(float x) {
  T result;
  result.__x = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, Format);
  return result;
}
template <__nv_fp8_interpretation_t Format>
ROWFOLD_DEVICE unsigned narrow_to_float8_quad(const float_quad& values) {
  const float2 low{values.value[0], values.value[1]};
  const float2 high{values.value[2], values.value[3]};
  return static_cast<unsigned>(__nv_cvt_float2_to_fp8x2(low, __NV_SATFINITE, Format)) |
         static_cast<unsigned>(__nv_cvt_float2_to_fp8x2(high, __NV_SATFINITE, Format)) << 16;
}

}  // namespace detail

template <>
ROWFOLD_DEVICE float to_accumulate<__nv_fp8_e4m3>(__nv_fp8_e4m3 x) {
  return detail::widen_float8_pair<__NV_E4M3>(x.__x).x;
}
template <>
ROWFOLD_DEVICE float to_accumulate<__nv_fp8_e5m2>(__nv_fp8_e5m2 x) {
  return detail::widen_float8_pair<__NV_E5M2>(x.__x).x;
}
template <>
ROWFOLD_DEVICE float_quad to_accumulate<__nv_fp8_e4m3>(quad_bits<__nv_fp8_e4m3> quad) {
  return detail::widen_float8_quad<__NV_E4M3>(quad.word);
}
template <>
ROWFOLD_DEVICE float_quad to_accumulate<__nv_fp8_e5m2>(quad_bits<__nv_fp8_e5m2> quad) {
  return detail::widen_float8_quad<__NV_E5M2>(quad.word);
}

template <>
ROWFOLD_DEVICE __nv_fp8_e4m3 from_accumulate<__nv_fp8_e4m3>(float x) {
  return detail::narrow_to_float8<__nv_fp8_e4m3, __NV_E4M3>(x);
}
template <>
ROWFOLD_DEVICE __nv_fp8_e5m2 from_accumulate<__nv_fp8_e5m2>(float x) {
  return detail::narrow_to_float8<__nv_fp8_e5m2, __NV_E5M2>(x);
}
template <>
ROWFOLD_DEVICE quad_bits<__nv_fp8_e4m3> quad_from_accumulate<__nv_fp8_e4m3>(const float_quad& values) {
  return {detail::narrow_to_float8_quad<__NV_E4M3>(values)};
}
template <>
ROWFOLD_DEVICE quad_bits<__nv_fp8_e5m2> quad_from_accumulate<__nv_fp8_e5m2>(const float_quad& values) {
  return {detail::narrow_to_float8_quad<__NV_E5M2>(values)};
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

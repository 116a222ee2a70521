// SPDX-License-Identifier: MIT
// The 8-bit floating-point types e4m3 and e5m2: they widen exactly to float, in which they are computed, and a float is
// narrowed with one rounding to nearest even; what is too large, infinities included, becomes the largest finite value,
// and a NaN stays a NaN. One instruction from sm_89 on, the same bytes in software below. Kept out of convert.cuh
// because <cuda_fp8.h> costs every translation unit compile time. Any thread may call these.
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
template <__nv_fp8_interpretation_t Format>
ROWFOLD_DEVICE float widen_float8(__nv_fp8_storage_t bits) {
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(bits, Format)));  // half holds every value of both formats
}
template <class T, __nv_fp8_interpretation_t Format>
ROWFOLD_DEVICE T narrow_to_float8(float x) {
  T result;
  result.__x = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, Format);
  return result;
}
}  // namespace detail

ROWFOLD_DEVICE float to_accumulate(__nv_fp8_e4m3 x) { return detail::widen_float8<__NV_E4M3>(x.__x); }
ROWFOLD_DEVICE float to_accumulate(__nv_fp8_e5m2 x) { return detail::widen_float8<__NV_E5M2>(x.__x); }

template <>
ROWFOLD_DEVICE __nv_fp8_e4m3 from_accumulate<__nv_fp8_e4m3>(float x) {
  return detail::narrow_to_float8<__nv_fp8_e4m3, __NV_E4M3>(x);
}
template <>
ROWFOLD_DEVICE __nv_fp8_e5m2 from_accumulate<__nv_fp8_e5m2>(float x) {
  return detail::narrow_to_float8<__nv_fp8_e5m2, __NV_E5M2>(x);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

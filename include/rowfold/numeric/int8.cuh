// SPDX-License-Identifier: MIT
// Including this makes the 8-bit integer `signed char` (std::int8_t) a data type: it widens exactly to float, in which
// it is computed, and a float is narrowed to nearest even; what is too large, infinities included, becomes -128 or 127,
// and a NaN becomes 0. Any thread may call these.
//   float wide = rowfold::to_accumulate(q[i]);                                   // signed char
//   q[i] = rowfold::from_accumulate<signed char>(x);
#pragma once

#include "rowfold/numeric/convert.cuh"
#include "rowfold/ptx/round_int8.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

template <>
struct accumulate<signed char> {
  using type = float;
};
// Of the symmetric range that dynamic scales aim at; a static scale may produce -128, too.
template <>
inline constexpr float max_finite<signed char> = 127.0f;

inline namespace ROWFOLD_BACKEND {

template <>
ROWFOLD_DEVICE float to_accumulate<signed char>(signed char x) {
  return static_cast<float>(x);
}
template <>
ROWFOLD_DEVICE signed char from_accumulate<signed char>(float x) {
  return ptx::round_int8(x);
}
template <>
ROWFOLD_DEVICE quad_bits<signed char> quad_from_accumulate<signed char>(const float_quad& values) {
  return {ptx::round_int8x4(values.value[0], values.value[1], values.value[2], values.value[3])};
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

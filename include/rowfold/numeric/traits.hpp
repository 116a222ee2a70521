// SPDX-License-Identifier: MIT
// What the library knows about the element types: the type in which each is accumulated, whether it is supported, its
// infinity, its bit pattern. Compile-time only; works on the host, on the device, and under NVRTC, where there are no
// standard headers (hence the few type tools of its own).
#pragma once

#if !defined(__CUDACC_RTC__)
#include <cuda_runtime.h>
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// The three pieces of <type_traits> that device headers need.
template <class A, class B>
inline constexpr bool is_same = false;
template <class A>
inline constexpr bool is_same<A, A> = true;

template <bool Condition, class Result = void>
struct enable_if {};
template <class Result>
struct enable_if<true, Result> {
  using type = Result;
};
template <bool Condition, class Result = void>
using enable_if_t = typename enable_if<Condition, Result>::type;

// The type of a tensor or parameter that is known, when an op is compiled, not to be there.
struct absent {};

// True for float and double: the types in which the library computes.
template <class T>
inline constexpr bool is_accumulate_type = is_same<T, float> || is_same<T, double>;

// True for the 16-bit floating-point types: stored as they are, computed in float.
template <class T>
inline constexpr bool is_half_type = is_same<T, __half> || is_same<T, __nv_bfloat16>;

// True for the element types that rows can have.
template <class T>
inline constexpr bool is_supported = is_accumulate_type<T> || is_half_type<T>;

// The type in which elements of T are accumulated and computed: double for double, float for every other floating-point
// type. A type that is not floating point (an integer, a user's own struct) has none, so that a mistake is an error of
// compilation. numeric/float8.cuh adds the 8-bit types.
template <class T>
struct accumulate {};
template <>
struct accumulate<float> {
  using type = float;
};
template <>
struct accumulate<double> {
  using type = double;
};
template <>
struct accumulate<__half> {
  using type = float;
};
template <>
struct accumulate<__nv_bfloat16> {
  using type = float;
};
template <class T>
using accumulate_t = typename accumulate<T>::type;

// NVRTC has no builtin for infinity, and host compilers older than g++ 11 have no bit cast.
#if defined(__CUDACC_RTC__)
inline constexpr float float_infinity = __builtin_bit_cast(float, 0x7f800000u);
inline constexpr double double_infinity = __builtin_bit_cast(double, 0x7ff0000000000000ull);
#else
inline constexpr float float_infinity = __builtin_huge_valf();
inline constexpr double double_infinity = __builtin_huge_val();
#endif

// Limits of the two accumulate types. `unit_roundoff` is half the distance from 1 to the next larger value.
template <class T>
struct limits;
template <>
struct limits<float> {
  static constexpr float infinity = float_infinity;
  static constexpr float max_finite = 0x1.fffffep127f;
  static constexpr float min_normal = 0x1p-126f;
  static constexpr float unit_roundoff = 0x1p-24f;
};
template <>
struct limits<double> {
  static constexpr double infinity = double_infinity;
  static constexpr double max_finite = 0x1.fffffffffffffp1023;
  static constexpr double min_normal = 0x1p-1022;
  static constexpr double unit_roundoff = 0x1p-53;
};

// The largest finite value of a data type, in its accumulate type.
template <class T>
inline constexpr accumulate_t<T> max_finite = limits<accumulate_t<T>>::max_finite;
template <>
inline constexpr float max_finite<__half> = 65504.0f;
template <>
inline constexpr float max_finite<__nv_bfloat16> = 0x1.fep127f;

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Conversions between element types and the types in which the library computes. Every narrowing one rounds once, to
// nearest even; only intrinsics that name their types are used, so that builds which switch off the operators and
// conversions of half and bfloat16 (-D__CUDA_NO_HALF_CONVERSIONS__ and its kin) work. Any thread may call them.
//   float wide = rowfold::to_accumulate(x[i]);            // __half, __nv_bfloat16, float -> float; double -> double
//   y[i] = rowfold::from_accumulate<__half>(wide * 2.0f);
#pragma once

#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

template <class T>
ROWFOLD_DEVICE float widen_half(T x) {
  if constexpr (is_same<T, __half>) {
    return __half2float(x);
  } else {
    return __bfloat162float(x);
  }
}

template <class To, class From>
ROWFOLD_DEVICE To narrow_to_half(From x) {
  if constexpr (is_same<To, __half> && is_same<From, float>) {
    return __float2half_rn(x);
  } else if constexpr (is_same<To, __half>) {
    return __double2half(x);
  } else if constexpr (is_same<From, float>) {
    return __float2bfloat16_rn(x);
  } else {
    return __double2bfloat16(x);
  }
}

}  // namespace detail

// `x` in the type To, rounded at most once. From and To are each float, double, __half or __nv_bfloat16.
template <class To, class From>
ROWFOLD_DEVICE To convert(From x) {
  static_assert(is_supported<To> && is_supported<From>, "convert knows float, double, __half and __nv_bfloat16");
  if constexpr (is_same<To, From>) {
    return x;
  } else if constexpr (is_half_type<From>) {
    return convert<To>(detail::widen_half(x));  // widening is exact, so there is still one rounding
  } else if constexpr (is_half_type<To>) {
    return detail::narrow_to_half<To>(x);
  } else if constexpr (is_same<To, double>) {
    return static_cast<double>(x);
  } else {
#if defined(__CUDACC__)
    return __double2float_rn(x);
#else
    return static_cast<float>(x);
#endif
  }
}

// An element in the type in which it is computed with: exact.
template <class T>
ROWFOLD_DEVICE accumulate_t<T> to_accumulate(T x) {
  return convert<accumulate_t<T>>(x);
}

// A computed value as an element: rounded once, to nearest even. Too large for T gives infinity.
template <class T>
ROWFOLD_DEVICE T from_accumulate(accumulate_t<T> x) {
  return convert<T>(x);
}

// Two neighbouring 16-bit elements, as they lie in one 32-bit register, the first in the low half.
template <class T>
struct pair_bits {
  static_assert(is_half_type<T>, "pairs are packed of __half or __nv_bfloat16");
  unsigned word;
};

struct float_pair {
  float first, second;
};

// Both elements of a pair as floats. For bfloat16 that is a shift and a mask, no conversion instruction at all.
template <class T>
ROWFOLD_DEVICE float_pair to_accumulate(pair_bits<T> pair) {
  if constexpr (is_same<T, __nv_bfloat16>) {
    return {math::from_bits(pair.word << 16), math::from_bits(pair.word & 0xffff0000u)};
  } else {
    const float2 both = __half22float2(bit_copy<__half2>(pair.word));
    return {both.x, both.y};
  }
}

// Two floats as a pair of elements, each rounded to nearest even: one instruction for both from sm_80 on.
template <class T>
ROWFOLD_DEVICE pair_bits<T> pair_from_accumulate(float first, float second) {
  if constexpr (is_same<T, __nv_bfloat16>) {
    return {bit_copy<unsigned>(__floats2bfloat162_rn(first, second))};
  } else {
    return {bit_copy<unsigned>(__floats2half2_rn(first, second))};
  }
}

// Four neighbouring 8-bit elements, as they lie in one 32-bit register, the first in the lowest byte. The headers of
// the 8-bit types (float8.cuh, int8.cuh) convert four at a time where the hardware can.
template <class T>
struct quad_bits {
  static_assert(sizeof(T) == 1, "quads are packed of 8-bit elements");
  unsigned word;
};

struct float_quad {
  float value[4];
};

// The four elements as floats: exact.
template <class T>
ROWFOLD_DEVICE float_quad to_accumulate(quad_bits<T> quad) {
  float_quad values;
  ROWFOLD_UNROLL
  for (int i = 0; i < 4; ++i) {
    values.value[i] = to_accumulate(bit_copy<T>(static_cast<unsigned char>(quad.word >> (8 * i))));
  }
  return values;
}

// Four floats as elements, each rounded to nearest even.
template <class T>
ROWFOLD_DEVICE quad_bits<T> quad_from_accumulate(const float_quad& values) {
  quad_bits<T> quad{0};
  ROWFOLD_UNROLL
  for (int i = 0; i < 4; ++i) {
    quad.word |= static_cast<unsigned>(bit_copy<unsigned char>(from_accumulate<T>(values.value[i]))) << (8 * i);
  }
  return quad;
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

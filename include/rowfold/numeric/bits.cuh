// SPDX-License-Identifier: MIT
// The bits of values as they are, and questions asked of the bits of float and double alone, so that no compile flag
// about NaN or subnormal numbers can change the answer. Any thread may call these, each on its own value.
#pragma once

#include "rowfold/numeric/traits.hpp"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A value of another type in the same bytes: a copy of bits, no conversion.
template <class To, class From>
ROWFOLD_DEVICE To bit_copy(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bit_copy keeps every bit");
  To to;
#if defined(__CUDACC__)
  memcpy(&to, &from, sizeof(To));
#else
  __builtin_memcpy(static_cast<void*>(&to), &from, sizeof(To));
#endif
  return to;
}

namespace math {

// The bits of x as an unsigned integer of the same size, and back.
ROWFOLD_DEVICE unsigned to_bits(float x) {
#if defined(__CUDACC__)
  return __float_as_uint(x);
#else
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
#endif
}
ROWFOLD_DEVICE unsigned long long to_bits(double x) {
#if defined(__CUDACC__)
  return static_cast<unsigned long long>(__double_as_longlong(x));
#else
  unsigned long long bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
#endif
}
ROWFOLD_DEVICE float from_bits(unsigned bits) {
#if defined(__CUDACC__)
  return __uint_as_float(bits);
#else
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
#endif
}
ROWFOLD_DEVICE double from_bits(unsigned long long bits) {
#if defined(__CUDACC__)
  return __longlong_as_double(static_cast<long long>(bits));
#else
  double x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
#endif
}

// The quiet NaN that the GPU's float arithmetic returns whatever NaN went in (CUDA programming guide, floating point);
// the CPU bodies of numeric/math.cuh return it too, so that both back ends agree in every bit.
template <class T>
ROWFOLD_DEVICE T canonical_nan() {
  static_assert(is_accumulate_type<T>, "the library computes in float or double");
  if constexpr (is_same<T, float>) {
    return from_bits(0x7fffffffu);
  } else {
    return from_bits(0x7fffffffffffffffull);
  }
}

// True where x is a NaN, quiet or signalling.
ROWFOLD_DEVICE bool is_nan(float x) { return (to_bits(x) & 0x7fffffffu) > 0x7f800000u; }
ROWFOLD_DEVICE bool is_nan(double x) { return (to_bits(x) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull; }

// True where x is neither infinite nor a NaN.
ROWFOLD_DEVICE bool is_finite(float x) { return (to_bits(x) & 0x7fffffffu) < 0x7f800000u; }
ROWFOLD_DEVICE bool is_finite(double x) { return (to_bits(x) & 0x7fffffffffffffffull) < 0x7ff0000000000000ull; }

// |x|: the sign bit cleared, also of a NaN.
ROWFOLD_DEVICE float absolute(float x) { return from_bits(to_bits(x) & 0x7fffffffu); }
ROWFOLD_DEVICE double absolute(double x) { return from_bits(to_bits(x) & 0x7fffffffffffffffull); }

}  // namespace math
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

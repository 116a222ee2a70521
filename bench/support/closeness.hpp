// SPDX-License-Identifier: MIT
//
// When is a device result right? And which rows of a large tensor are looked at?
//
// A result passes when it is the float64 value rounded to its type or that value's neighbour (16-bit types), or lies
// within 8 float units in the last place of `scale`: the largest magnitude that entered the element's last addition,
// which bounds what float arithmetic can lose there. Plain C++, no CUDA runtime; needs the headers of the two 16-bit
// types.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

namespace rowfold_bench {

inline double to_double(float value) { return static_cast<double>(value); }
inline double to_double(__half value) { return static_cast<double>(__half2float(value)); }
inline double to_double(__nv_bfloat16 value) { return static_cast<double>(__bfloat162float(value)); }

/// Rounds once, to nearest even.
template <class T>
T round_to(double value);
template <>
inline float round_to<float>(double value) {
  return static_cast<float>(value);
}
template <>
inline __half round_to<__half>(double value) {
  return __double2half(value);
}
template <>
inline __nv_bfloat16 round_to<__nv_bfloat16>(double value) {
  return __double2bfloat16(value);
}

/// Number of representable steps between two finite values of a 16-bit type; -0 and +0 are the same.
template <class T>
int steps_between(T a, T b) {
  static_assert(sizeof(T) == 2, "for half and bfloat16");
  const auto ordinal = [](T value) {
    std::uint16_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const int magnitude = bits & 0x7fff;
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  };
  return std::abs(ordinal(a) - ordinal(b));
}

/// True when `actual` is acceptable for the float64 result `expected`; see the top of the file. NaN never is.
template <class T>
bool close_enough(T actual, double expected, double scale) {
  const double value = to_double(actual);
  if (!std::isfinite(value) || !std::isfinite(expected)) return false;
  if constexpr (sizeof(T) == 2) {
    if (steps_between(actual, round_to<T>(expected)) <= 1) return true;
  }
  const double largest = std::max({scale, std::fabs(expected), static_cast<double>(std::numeric_limits<float>::min())});
  const double float_ulp = std::ldexp(0x1p-23, std::ilogb(largest));
  return std::fabs(value - expected) <= 8.0 * float_ulp;
}

/// Row numbers to check: first, last, and random ones, `count` in all where there are as many rows.
inline std::vector<std::int64_t> sample_rows(std::int64_t rows, int count, std::uint64_t seed) {
  std::set<std::int64_t> chosen;
  if (rows > 0) chosen = {std::int64_t{0}, rows - 1};
  std::uint64_t state = seed * 2 + 1;
  while (static_cast<std::int64_t>(chosen.size()) < std::min<std::int64_t>(rows, count)) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;  // Knuth's 64-bit congruential generator
    chosen.insert(static_cast<std::int64_t>((state >> 11) % static_cast<std::uint64_t>(rows)));
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace rowfold_bench

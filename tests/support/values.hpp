// SPDX-License-Identifier: MIT
// Values for tests: conversions to and from double, the unit in the last place of each type, seeded random inputs.
#pragma once

#include <cuda_runtime.h>
// cuda_runtime.h comes first: under a host compiler the half headers need it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/seed.hpp"

namespace rowfold_test {

inline double to_double(double value) { return value; }
inline double to_double(float value) { return value; }
inline double to_double(__half value) { return __half2float(value); }
inline double to_double(__nv_bfloat16 value) { return __bfloat162float(value); }
inline double to_double(int value) { return value; }
inline double to_double(std::uint8_t value) { return value; }

// Rounds once, to nearest, ties to even.
template <class T>
T from_double(double value);
template <>
inline double from_double<double>(double value) {
  return value;
}
template <>
inline float from_double<float>(double value) {
  return static_cast<float>(value);
}
template <>
inline __half from_double<__half>(double value) {
  return __double2half(value);
}
template <>
inline __nv_bfloat16 from_double<__nv_bfloat16>(double value) {
  return __double2bfloat16(value);
}
template <>
inline int from_double<int>(double value) {
  return static_cast<int>(value);
}
template <>
inline std::uint8_t from_double<std::uint8_t>(double value) {
  return static_cast<std::uint8_t>(value);
}

// Significant bits (the implicit one counted) and the exponent of the smallest normal number.
template <class T>
struct float_format;
template <>
struct float_format<double> {
  static constexpr int digits = 53, min_exponent = -1022;
  static constexpr const char* name = "double";
};
template <>
struct float_format<float> {
  static constexpr int digits = 24, min_exponent = -126;
  static constexpr const char* name = "float";
};
template <>
struct float_format<__half> {
  static constexpr int digits = 11, min_exponent = -14;
  static constexpr const char* name = "half";
};
template <>
struct float_format<__nv_bfloat16> {
  static constexpr int digits = 8, min_exponent = -126;
  static constexpr const char* name = "bfloat16";
};
template <>
struct float_format<std::uint8_t> {
  static constexpr int digits = 8, min_exponent = 7;
  static constexpr const char* name = "byte";
};

// The unit in the last place of T at |value|: the distance from |value|, rounded down to a T, to the next larger T.
template <class T>
double ulp(double value) {
  using format = float_format<T>;
  int exponent = format::min_exponent;
  if (value != 0 && std::isfinite(value)) exponent = std::max(exponent, std::ilogb(value));
  return std::ldexp(1.0, exponent - (format::digits - 1));
}

// How far `value` is from `reference`, in units in the last place of T at `magnitude` (at the reference by default).
// Both NaN, or the same infinity: 0. One of them alone: infinity.
template <class T>
double ulp_error(double value, double reference, double magnitude) {
  if (std::isnan(value) && std::isnan(reference)) return 0;
  if (value == reference) return 0;
  if (!std::isfinite(value) || !std::isfinite(reference)) return std::numeric_limits<double>::infinity();
  return std::abs(value - reference) / ulp<T>(magnitude);
}
template <class T>
double ulp_error(double value, double reference) {
  return ulp_error<T>(value, reference, reference);
}

template <class T>
std::vector<double> to_double(const std::vector<T>& values) {
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = to_double(values[i]);
  return result;
}

// How random rows are distributed; name() goes into a test's message.
enum class distribution {
  normal,    // mean 0, standard deviation 1
  uniform,   // [-1, 1)
  positive,  // [0.5, 1.5)
  shifted,   // mean 1e4, standard deviation 1: a variance that cancels
  outlier,   // normal, and one element per row of 1e3
  tiny,      // normal times 2^-12
  integers,  // whole numbers from -8 to 8: sums are exact in any order
  constant,  // 3 everywhere
};

inline const char* name(distribution kind) {
  switch (kind) {
    case distribution::normal:
      return "normal";
    case distribution::uniform:
      return "uniform";
    case distribution::positive:
      return "positive";
    case distribution::shifted:
      return "shifted";
    case distribution::outlier:
      return "outlier";
    case distribution::tiny:
      return "tiny";
    case distribution::integers:
      return "integers";
    case distribution::constant:
      return "constant";
  }
  return "unknown";
}

// rows x cols values, contiguous, rounded to T. The same (kind, shape, stream, seed) gives the same values; `stream`
// tells several tensors of one test apart.
template <class T>
std::vector<T> random_values(std::size_t rows, std::size_t cols, distribution kind, std::uint64_t stream = 0) {
  std::mt19937_64 engine(seed() * 0x9E3779B97F4A7C15u +
                         stream);  // an odd multiplier: seeds that differ little start far apart
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::uniform_int_distribution<int> integer(-8, 8);
  std::vector<T> values(rows * cols);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t special = cols == 0 ? 0 : engine() % cols;
    for (std::size_t col = 0; col < cols; ++col) {
      double value = 3;
      switch (kind) {
        case distribution::normal:
          value = normal(engine);
          break;
        case distribution::uniform:
          value = uniform(engine);
          break;
        case distribution::positive:
          value = 1 + uniform(engine) / 2;
          break;
        case distribution::shifted:
          value = 1e4 + normal(engine);
          break;
        case distribution::outlier:
          value = col == special ? 1e3 : normal(engine);
          break;
        case distribution::tiny:
          value = std::ldexp(normal(engine), -12);
          break;
        case distribution::integers:
          value = integer(engine);
          break;
        case distribution::constant:
          break;
      }
      values[row * cols + col] = from_double<T>(value);
    }
  }
  return values;
}

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Compares y with LayerNorm computed in float64 from the same (already rounded) x, gamma, beta and eps, and judges it
// by the bound for its type. float: within 8 units in the last place of max(|y|, |gamma|, |beta|). half and bfloat16:
// the correctly rounded value or one of its two neighbours; and where the scaled value and beta cancel, so that y is a
// small remainder of float's own rounding errors, a value within float's bound. Plain host code.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backend.hpp"

inline double to_double(float value) { return value; }
inline double to_double(__half value) { return __half2float(value); }
inline double to_double(__nv_bfloat16 value) { return __bfloat162float(value); }

// The nearest T, ties to even, in one rounding.
template <class T>
T nearest(double value);
template <>
inline float nearest<float>(double value) {
  return static_cast<float>(value);
}
template <>
inline __half nearest<__half>(double value) {
  return __double2half(value);
}
template <>
inline __nv_bfloat16 nearest<__nv_bfloat16>(double value) {
  return __double2bfloat16(value);
}

template <class T>
struct format;
template <>
struct format<float> {
  static constexpr int digits = 24, min_exponent = -126;
};
template <>
struct format<__half> {
  static constexpr int digits = 11, min_exponent = -14;
};
template <>
struct format<__nv_bfloat16> {
  static constexpr int digits = 8, min_exponent = -126;
};

// The distance of neighbouring Ts around a value of this magnitude.
template <class T>
double unit_in_last_place(double magnitude) {
  const int exponent =
      magnitude == 0 ? format<T>::min_exponent : std::max(std::ilogb(magnitude), format<T>::min_exponent);
  return std::ldexp(1.0, exponent - (format<T>::digits - 1));
}

// How many representable values lie from `a` to `b`, infinities counted as the values beyond the largest.
template <class T>
int steps_between(T a, T b) {
  static_assert(sizeof(T) == 2);
  const auto place = [](T value) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const int magnitude = bits & 0x7fff;
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  };
  return std::abs(place(a) - place(b));
}

constexpr double float_bound = 8;
constexpr int narrow_bound = 1;

struct comparison {
  double absolute = 0;            // largest |y - reference|
  double units = 0;               // the same in units in the last place: for float those of max(|y|, |gamma|, |beta|)
  int steps = 0;                  // half and bfloat16: most steps from the correctly rounded value
  std::int64_t cancelled = 0;     // half and bfloat16: elements further away, but within float's bound,
  double cancelled_units = 0;     // in float's units; they do not count in `units` and `steps`
  std::int64_t wrong = 0;         // elements outside the bound
  std::int64_t beyond_range = 0;  // rows whose sum of squares overflows float: unspecified, so not compared
};

// The statistics of a row in float64, by two passes with the second one's rest taken out of the mean and the variance.
struct row_statistics {
  double mean = 0, rstd = 0, sum_of_squares = 0;
};

template <class T>
row_statistics statistics_of(const T* x, int cols, double eps) {
  double sum = 0, rest = 0, squares = 0;
  for (int c = 0; c < cols; ++c) sum += to_double(x[c]);
  const double first = sum / cols;
  for (int c = 0; c < cols; ++c) {
    const double distance = to_double(x[c]) - first;
    rest += distance;
    squares += distance * distance;
  }
  const double shift = rest / cols;
  const double variance = std::max(0.0, squares / cols - shift * shift);
  // std::max(0, NaN) would be 0.
  return {first + shift, 1 / std::sqrt((std::isnan(squares) ? squares : variance) + eps), squares};
}

// `scale`: max(|y|, |gamma|, |beta|).
template <class T>
void compare_element(T y, double reference, double scale, comparison& all) {
  const double value = to_double(y);
  if (std::isnan(reference) || std::isnan(value)) {
    all.wrong += std::isnan(reference) != std::isnan(value);
    return;
  }
  const bool finite = std::isfinite(value) && std::isfinite(reference);
  const double error = finite ? std::abs(value - reference) : 0;
  const double float_units = finite ? error / unit_in_last_place<float>(scale) : 0;
  all.absolute = std::max(all.absolute, error);
  if constexpr (sizeof(T) == 2) {
    const int steps = steps_between(y, nearest<T>(reference));
    if (steps > narrow_bound && finite && float_units <= float_bound) {
      ++all.cancelled;
      all.cancelled_units = std::max(all.cancelled_units, float_units);
      return;
    }
    all.steps = std::max(all.steps, steps);
    all.units = std::max(all.units, error / unit_in_last_place<T>(std::abs(reference)));
    all.wrong += steps > narrow_bound;
  } else {
    all.units = std::max(all.units, float_units);
    all.wrong += finite ? float_units > float_bound : value != to_double(nearest<T>(reference));
  }
}

template <class T>
comparison compare(const problem<T>& task) {
  comparison all;
  if (task.cols == 0) return all;
  const double eps = static_cast<float>(task.eps);  // as the kernel has it
  for (std::int64_t row = 0; row < task.rows; ++row) {
    const T* x = task.x + row * task.cols;
    const T* y = task.y + row * task.cols;
    const row_statistics of = statistics_of(x, task.cols, eps);
    const bool has_nan = std::any_of(x, x + task.cols, [](T value) { return std::isnan(to_double(value)); });
    if (!has_nan && !(of.sum_of_squares <= FLT_MAX)) {
      ++all.beyond_range;
      continue;
    }
    for (int c = 0; c < task.cols; ++c) {
      const double gamma = task.gamma == nullptr ? 1 : task.gamma[c];
      const double beta = task.beta == nullptr ? 0 : task.beta[c];
      const double reference = (to_double(x[c]) - of.mean) * of.rstd * gamma + beta;
      const double scale = std::max({std::abs(reference), std::abs(gamma), std::abs(beta)});
      compare_element(y[c], reference, scale, all);
    }
  }
  return all;
}

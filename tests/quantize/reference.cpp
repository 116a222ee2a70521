// SPDX-License-Identifier: MIT
#include "quantize/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace rowfold_test {
namespace quantize {
namespace {

struct float8_format {
  int digits;        // of the significand, the implicit one counted
  int min_exponent;  // of normal numbers
  double largest;
};

float8_format format_of(code format) {
  return format == code::e4m3 ? float8_format{4, -6, 448} : float8_format{3, -14, 57344};
}

// The bits of a float8 of the given format: sign, then exponent and significand, as one number that counts the
// representable values from zero on.
double float8_bits(const float8_format& f, double x) {
  if (std::isnan(x)) return 0x7f;
  const double size = std::min(std::abs(x), f.largest);
  const int exponent = size == 0 ? f.min_exponent : std::max(std::ilogb(size), f.min_exponent);
  const double step = std::ldexp(1.0, exponent - (f.digits - 1));
  // nearbyint rounds to nearest even. What it rounds up to the next power of two is counted on correctly.
  const double steps = std::nearbyint(size / step);
  const double bits = std::ldexp(exponent - f.min_exponent, f.digits - 1) + steps;
  return (std::signbit(x) ? 0x80 : 0) + bits;
}

}  // namespace

double code_of(code format, double value, double scale) {
  // A quotient of two floats that is rounded to double first is the correctly rounded float.
  const double quotient = static_cast<float>(value / scale);
  if (format != code::int8) return float8_bits(format_of(format), quotient);
  if (std::isnan(quotient)) return 0;
  const double integer = std::clamp(std::nearbyint(quotient), -128.0, 127.0);
  return integer < 0 ? integer + 256 : integer;
}

double value_of(code format, double bits) {
  if (format == code::int8) return bits < 128 ? bits : bits - 256;
  const float8_format f = format_of(format);
  const double size = bits < 128 ? bits : bits - 128;
  const double block = std::ldexp(1.0, f.digits - 1);  // codes of one exponent
  const double exponent = std::max(std::floor(size / block), 1.0);
  const double value =
      std::ldexp(size - (exponent - 1) * block, static_cast<int>(exponent) - 1 + f.min_exponent - (f.digits - 1));
  return bits < 128 ? value : -value;
}

double step_at(code format, double value) {
  if (format == code::int8) return 1;
  const float8_format f = format_of(format);
  const int exponent = value == 0 ? f.min_exponent : std::max(std::ilogb(value), f.min_exponent);
  return std::ldexp(1.0, exponent - (f.digits - 1));
}

double scale_of(code format, double largest, bool power_of_two) {
  if (largest == 0) return 1;
  if (!std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();
  const double most = format == code::int8 ? 127 : format_of(format).largest;
  const double scale = std::max(static_cast<double>(static_cast<float>(largest / most)), std::ldexp(1.0, -126));
  const double power = std::ldexp(1.0, std::ilogb(scale));
  if (!power_of_two) return scale;
  return power == scale ? scale : 2 * power;
}

double largest_of(const double* values, int count) {
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    if (std::isnan(values[i])) return values[i];
    largest = std::max(largest, std::abs(values[i]));
  }
  return largest;
}

quantized quantize_rows(const op_types& types, const std::vector<double>& values, int cols, double given,
                        bool power_of_two) {
  quantized result;
  const int group = types.mode == quantize_scale::per_group ? 128 : cols;
  for (std::size_t row = 0; row < values.size(); row += static_cast<std::size_t>(cols)) {
    for (int first = 0; first < cols; first += group) {
      const double* part = &values[row + static_cast<std::size_t>(first)];
      const int count = std::min(group, cols - first);
      double scale = given;
      if (types.mode != quantize_scale::given) scale = scale_of(types.to, largest_of(part, count), power_of_two);
      result.scale.push_back(scale);
      for (int i = 0; i < count; ++i) result.q.push_back(code_of(types.to, part[i], scale));
    }
  }
  if (types.mode == quantize_scale::given) result.scale = {given};
  return result;
}

}  // namespace quantize
}  // namespace rowfold_test

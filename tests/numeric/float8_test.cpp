// SPDX-License-Identifier: MIT
// The 8-bit types against a reference that knows only the formats: all 256 patterns, every midpoint between neighbours
// and what lies just beside it, saturation, NaN.
#include "rowfold/numeric/float8.cuh"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::map_on_device;

namespace {

// Fraction bits and exponent bias; e4m3 has no infinity and one NaN, e5m2 is laid out as the IEEE types are.
struct e4m3 {
  using type = __nv_fp8_e4m3;
  static constexpr int fraction_bits = 3, bias = 7;
  static bool is_special(unsigned magnitude) { return magnitude == 0x7fu; }
  static double special(unsigned) { return std::nan(""); }
  static constexpr double largest = 448;
};
struct e5m2 {
  using type = __nv_fp8_e5m2;
  static constexpr int fraction_bits = 2, bias = 15;
  static bool is_special(unsigned magnitude) { return magnitude >= 0x7cu; }
  static double special(unsigned magnitude) { return magnitude == 0x7cu ? HUGE_VAL : std::nan(""); }
  static constexpr double largest = 57344;
};

// The value of a pattern, from the definition of the format.
template <class Format>
double decode(unsigned pattern) {
  const double sign = pattern >= 0x80u ? -1 : 1;
  const unsigned magnitude = pattern & 0x7fu;
  if (Format::is_special(magnitude)) return sign * Format::special(magnitude);
  const unsigned fraction = magnitude % (1u << Format::fraction_bits);
  const int exponent = static_cast<int>(magnitude >> Format::fraction_bits);
  const int hidden = exponent == 0 ? 0 : 1 << Format::fraction_bits;
  return sign * std::ldexp(static_cast<int>(fraction) + hidden,
                           (exponent == 0 ? 1 : exponent) - Format::bias - Format::fraction_bits);
}

template <class T>
struct widen {
  ROWFOLD_DEVICE float operator()(unsigned char bits) const {
    T x;
    x.__x = bits;
    return rowfold::to_accumulate(x);
  }
};
template <class T>
struct narrow {
  ROWFOLD_DEVICE unsigned char operator()(float x) const { return rowfold::from_accumulate<T>(x).__x; }
};
template <class T>
struct narrow_quad {
  ROWFOLD_DEVICE unsigned operator()(const rowfold::float_quad& x) const {
    return rowfold::quad_from_accumulate<T>(x).word;
  }
};

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// The pattern nearest to x by search: of two equally near, the one whose pattern is even; beyond all, the largest.
template <class Format>
unsigned nearest(double x) {
  const unsigned sign = std::signbit(x) ? 0x80u : 0u;
  unsigned best = 0;
  for (unsigned magnitude = 1; !Format::is_special(magnitude); ++magnitude) {
    const double target = std::min(std::abs(x), Format::largest);
    const double now = std::abs(decode<Format>(magnitude) - target);
    const double before = std::abs(decode<Format>(best) - target);
    if (now < before || (now == before && magnitude % 2 == 0)) best = magnitude;
  }
  return sign | best;
}

}  // namespace

TEMPLATE_TEST_CASE("8-bit types widen exactly", "", e4m3, e5m2) {
  std::vector<unsigned char> patterns;
  for (unsigned pattern = 0; pattern < 256; ++pattern) patterns.push_back(static_cast<unsigned char>(pattern));
  const auto widened = map_on_device<float>(widen<typename TestType::type>{}, patterns);
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    CAPTURE(pattern);
    CHECK(same(static_cast<double>(widened[pattern]), decode<TestType>(pattern)));
  }
  STATIC_REQUIRE(rowfold::is_same<rowfold::accumulate_t<typename TestType::type>, float>);
  CHECK(static_cast<double>(rowfold::max_finite<typename TestType::type>) == TestType::largest);
}

TEMPLATE_TEST_CASE("narrowing to an 8-bit type rounds to nearest even and saturates", "", e4m3, e5m2) {
  std::vector<float> inputs = {HUGE_VALF, -HUGE_VALF, 1e30f,  -1e30f, 1e-30f,  -1e-30f,
                               449.0f,    463.9f,     464.0f, 480.0f, 61440.0f};
  for (unsigned magnitude = 0; !TestType::is_special(magnitude + 1); ++magnitude) {
    const double middle = (decode<TestType>(magnitude) + decode<TestType>(magnitude + 1)) / 2;
    for (const double factor : {1.0, 1 + 0x1p-23, 1 - 0x1p-24}) {
      inputs.push_back(static_cast<float>(middle * factor));
      inputs.push_back(static_cast<float>(-middle * factor));
    }
  }
  const auto outputs = map_on_device<unsigned char>(narrow<typename TestType::type>{}, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CAPTURE(inputs[i]);
    CHECK(static_cast<unsigned>(outputs[i]) == nearest<TestType>(static_cast<double>(inputs[i])));
  }
  const auto nans = map_on_device<unsigned char>(narrow<typename TestType::type>{},
                                                 std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
  CHECK(nans[0] == 0x7f);
}

TEMPLATE_TEST_CASE("every half narrows to the nearest 8-bit value, alone and four to a word", "", e4m3, e5m2) {
  using T = typename TestType::type;
  std::vector<float> values;
  std::vector<rowfold::float_quad> quads;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const __half_raw raw{static_cast<unsigned short>(bits)};
    values.push_back(static_cast<float>(rowfold_test::to_double(__half(raw))));
  }
  for (std::size_t i = 0; i < values.size(); i += 4) {
    quads.push_back({{values[i], values[i + 1], values[i + 2], values[i + 3]}});
  }
  const auto single = map_on_device<unsigned char>(narrow<T>{}, values);
  const auto words = map_on_device<unsigned>(narrow_quad<T>{}, quads);
  int wrong = 0, wrong_in_word = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const unsigned expected = std::isnan(values[i]) ? 0x7fu : nearest<TestType>(static_cast<double>(values[i]));
    wrong += single[i] != expected ? 1 : 0;
    wrong_in_word += (words[i / 4] >> (8 * (i % 4)) & 0xffu) != expected ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(wrong_in_word == 0);
}

// SPDX-License-Identifier: MIT
// Floats as 8-bit integers: nearest even, saturation, NaN, one at a time and four to a word.
#include "rowfold/numeric/int8.cuh"

#include <cmath>
#include <limits>
#include <vector>

#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::map_on_device;

namespace {

struct narrow {
  ROWFOLD_DEVICE signed char operator()(float x) const { return rowfold::from_accumulate<signed char>(x); }
};
struct narrow_quad {
  ROWFOLD_DEVICE unsigned operator()(const rowfold::float_quad& x) const {
    return rowfold::quad_from_accumulate<signed char>(x).word;
  }
};
struct widen_quad {
  ROWFOLD_DEVICE rowfold::float_quad operator()(unsigned word) const {
    return rowfold::to_accumulate(rowfold::quad_bits<signed char>{word});
  }
};

// The nearest integer, the even one of two equally near, from the definition; NaN is 0.
int nearest(double x) {
  if (std::isnan(x)) return 0;
  if (x <= -128) return -128;
  if (x >= 127) return 127;
  const double below = std::floor(x);
  const double part = x - below;
  const bool up = part > 0.5 || (part == 0.5 && std::fmod(below, 2.0) != 0);
  return static_cast<int>(below) + (up ? 1 : 0);
}

// All values of half, every multiple of a half within the range and its neighbours, and what lies far outside.
std::vector<float> inputs() {
  std::vector<float> values;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const __half_raw raw{static_cast<unsigned short>(bits)};
    values.push_back(static_cast<float>(rowfold_test::to_double(__half(raw))));
  }
  for (int twice = -260; twice <= 260; ++twice) {
    const float middle = static_cast<float>(twice) / 2;
    values.push_back(middle);
    values.push_back(std::nextafter(middle, HUGE_VALF));
    values.push_back(std::nextafter(middle, -HUGE_VALF));
  }
  for (const float x : {1e10f, 3e9f, 0x1p31f, 0x1p32f, HUGE_VALF, 1e-40f, std::numeric_limits<float>::quiet_NaN()}) {
    values.push_back(x);
    values.push_back(-x);
  }
  while (values.size() % 4 != 0) values.push_back(0.5f);
  return values;
}

}  // namespace

TEST_CASE("a float becomes the nearest 8-bit integer, saturated, and NaN becomes 0") {
  const auto values = inputs();
  const auto narrowed = map_on_device<signed char>(narrow{}, values);
  int wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    wrong += narrowed[i] != nearest(static_cast<double>(values[i])) ? 1 : 0;
  CHECK(wrong == 0);
}

TEST_CASE("four floats to a word are the same integers, the first in the lowest byte") {
  const auto values = inputs();
  std::vector<rowfold::float_quad> quads;
  for (std::size_t i = 0; i < values.size(); i += 4) {
    quads.push_back({{values[i], values[i + 1], values[i + 2], values[i + 3]}});
  }
  const auto words = map_on_device<unsigned>(narrow_quad{}, quads);
  const auto widened = map_on_device<rowfold::float_quad>(widen_quad{}, words);
  int wrong = 0, wrong_back = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int expected = nearest(static_cast<double>(values[i]));
    wrong += static_cast<signed char>(words[i / 4] >> (8 * (i % 4))) != expected ? 1 : 0;
    wrong_back += widened[i / 4].value[i % 4] != static_cast<float>(expected) ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(wrong_back == 0);
}

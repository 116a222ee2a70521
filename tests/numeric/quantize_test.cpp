// SPDX-License-Identifier: MIT
// Quantising: codes against the definition, the shared division against the plain one on every operand where the two
// could disagree, and the scales.
#include "rowfold/numeric/quantize.cuh"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::map_on_device;

namespace {

struct operands {
  float x, scale;
};
template <class T>
struct quantize_plainly {
  ROWFOLD_DEVICE unsigned char operator()(const operands& in) const {
    return rowfold::bit_copy<unsigned char>(rowfold::quantize<T>(in.x, in.scale));
  }
};
template <class T>
struct quantize_shared {
  ROWFOLD_DEVICE unsigned char operator()(const operands& in) const {
    return rowfold::bit_copy<unsigned char>(rowfold::from_accumulate<T>(rowfold::scale_divider<T>(in.scale)(in.x)));
  }
};
template <class T>
struct quantize_finite {
  ROWFOLD_DEVICE unsigned char operator()(const operands& in) const {
    const bool normal = rowfold::math::absolute(in.scale) >= rowfold::limits<float>::min_normal;
    const auto divider = normal ? rowfold::scale_divider<T>::by_dynamic(in.scale) : rowfold::scale_divider<T>(in.scale);
    const float quotient = divider.prescales() ? divider.divide_finite(in.x) : divider.divide_unscaled(in.x);
    return rowfold::bit_copy<unsigned char>(rowfold::from_accumulate<T>(quotient));
  }
};
template <class T>
struct narrow_only {
  ROWFOLD_DEVICE unsigned char operator()(float x) const {
    return rowfold::bit_copy<unsigned char>(rowfold::from_accumulate<T>(x));
  }
};
template <class T>
struct widen_byte {
  ROWFOLD_DEVICE float operator()(unsigned char bits) const {
    return rowfold::to_accumulate(rowfold::bit_copy<T>(bits));
  }
};
template <class T>
struct scale_of {
  ROWFOLD_DEVICE float operator()(float amax) const { return rowfold::dynamic_scale<T>(amax); }
};
struct power_of_two {
  ROWFOLD_DEVICE float operator()(float scale) const { return rowfold::power_of_two_scale(scale); }
};

bool flushes_subnormals() {
  return map_on_device<float>(scale_of<signed char>{}, std::vector<float>{1e-40f})[0] == 1.0f;
}

// The midpoints between neighbouring positive codes of T, in ascending order.
template <class T>
std::vector<double> midpoints() {
  std::vector<unsigned char> patterns;
  for (unsigned pattern = 0; pattern < 128; ++pattern) patterns.push_back(static_cast<unsigned char>(pattern));
  const auto values = map_on_device<float>(widen_byte<T>{}, patterns);
  std::vector<double> found;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double middle = (static_cast<double>(values[i]) + static_cast<double>(values[i + 1])) / 2;
    if (std::isfinite(middle)) found.push_back(middle);
  }
  return found;
}

// The inverse of an odd number modulo 2^32 (Newton's iteration doubles the correct digits; 3 are correct at first).
std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t y = odd;
  for (int i = 0; i < 5; ++i) y *= 2 - odd * y;
  return y & 0xffffffffu;
}

// Every (x, scale), up to powers of two, whose quotient lies next to the midpoint `middle` of two codes and, although
// not equal to it, within 16 * 2^-25 ulp of a midpoint between `middle` and the float above or below it.
//
// With scale = s, 2^23 <= s < 2^24, and the midpoint of floats = b / 2^25 for an odd b of 25 bits (times powers of
// two), x = (s * b - r) / 2^k is a whole number of 24 bits, k is 24 or 25, and the distance is r / (2 s) ulp: |r| <= 16
// holds all, and r and b decide s modulo 2^k.
void add_hard_operands(double middle, std::vector<operands>& found) {
  int exponent;
  const double significand = std::frexp(middle, &exponent);  // in [0.5, 1)
  const auto integer = static_cast<std::uint64_t>(std::ldexp(significand, 24));
  // Below a power of two floats lie twice as close.
  const std::uint64_t below = integer == 1u << 23 ? 4 * integer - 1 : 2 * integer - 1;
  for (const std::uint64_t b : {2 * integer + 1, below}) {
    for (const int k : {24, 25}) {
      const std::uint64_t mask = (std::uint64_t{1} << k) - 1;
      for (std::int64_t r = -16; r <= 16; ++r) {
        const std::uint64_t s = (static_cast<std::uint64_t>(r) * inverse(b)) & mask;
        if (s >> 23 != 1) continue;
        const std::uint64_t x = (s * b - static_cast<std::uint64_t>(r)) >> k;
        if (x >> 23 != 1) continue;
        // x / scale close to `middle`, with scales around 1 and near both ends.
        for (const int scale_exponent : {-23, -126, 40, 41, 60, 80}) {
          const double scale = std::ldexp(static_cast<double>(s), scale_exponent);
          const double quotient = static_cast<double>(x) / static_cast<double>(s);
          const int shift = std::ilogb(middle) - std::ilogb(quotient) + scale_exponent;
          double value = std::ldexp(static_cast<double>(x), shift);
          const double ratio = value / scale / middle;
          if (ratio > 1.5) value /= 2;
          if (ratio < 0.75) value *= 2;
          found.push_back({static_cast<float>(value), static_cast<float>(scale)});
          found.push_back({static_cast<float>(-value), static_cast<float>(scale)});
        }
      }
    }
  }
}

template <class T>
int disagreements(const std::vector<operands>& inputs) {
  const auto plain = map_on_device<unsigned char>(quantize_plainly<T>{}, inputs);
  const auto shared = map_on_device<unsigned char>(quantize_shared<T>{}, inputs);
  const auto finite = map_on_device<unsigned char>(quantize_finite<T>{}, inputs);
  int count = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_finite = std::isfinite(inputs[i].x) && std::isfinite(inputs[i].x / inputs[i].scale);
    if (plain[i] == shared[i] && (plain[i] == finite[i] || !is_finite)) continue;
    if (count++ == 0) {
      UNSCOPED_INFO("x " << inputs[i].x << ", scale " << inputs[i].scale << ": " << int{shared[i]} << " and not "
                         << int{plain[i]});
    }
  }
  return count;
}

}  // namespace

TEMPLATE_TEST_CASE("quantize rounds the quotient to float and then to the type", "", __nv_fp8_e4m3, __nv_fp8_e5m2,
                   signed char) {
  std::mt19937_64 engine(rowfold_test::seed());
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<operands> inputs;
  std::vector<float> quotients;
  for (int i = 0; i < 50000; ++i) {
    const float scale = std::exp2(40 * uniform(engine));
    inputs.push_back({1000 * uniform(engine) * scale, scale});
  }
  for (const operands& in : inputs) quotients.push_back(static_cast<float>(double{in.x} / double{in.scale}));
  // Rounding the double quotient again is innocuous: double has more than twice the digits of float, plus two.
  CHECK(map_on_device<unsigned char>(quantize_plainly<TestType>{}, inputs) ==
        map_on_device<unsigned char>(narrow_only<TestType>{}, quotients));
}

TEST_CASE("a static scale of 8-bit integers: rounding, saturation and NaN") {
  std::vector<operands> inputs;
  std::vector<int> codes;
  const auto expect = [&](float x, float scale, int code) {
    inputs.push_back({x, scale});
    codes.push_back(code);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [x, code] : std::vector<std::pair<float, int>>{{0.5f, 0},
                                                                  {1.5f, 2},
                                                                  {2.5f, 2},
                                                                  {-0.5f, 0},
                                                                  {-1.5f, -2},
                                                                  {127.4f, 127},
                                                                  {127.6f, 127},
                                                                  {128.0f, 127},
                                                                  {-127.6f, -128},
                                                                  {-128.6f, -128},
                                                                  {1e10f, 127},
                                                                  {-1e10f, -128},
                                                                  {HUGE_VALF, 127},
                                                                  {-HUGE_VALF, -128},
                                                                  {nan, 0}}) {
    expect(x, 1.0f, code);
    expect(x * 0.25f, 0.25f, code);
  }
  expect(1.0f, nan, 0);
  expect(HUGE_VALF, nan, 0);
  const auto plain = map_on_device<unsigned char>(quantize_plainly<signed char>{}, inputs);
  const auto shared = map_on_device<unsigned char>(quantize_shared<signed char>{}, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CAPTURE(inputs[i].x, inputs[i].scale);
    CHECK(int{static_cast<signed char>(plain[i])} == codes[i]);
    CHECK(int{static_cast<signed char>(shared[i])} == codes[i]);
  }
}

TEMPLATE_TEST_CASE("8-bit floats saturate at infinity and keep NaN, also that of the scale", "", __nv_fp8_e4m3,
                   __nv_fp8_e5m2) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const unsigned largest = rowfold::is_same<TestType, __nv_fp8_e4m3> ? 0x7e : 0x7b;
  const std::vector<operands> inputs = {{HUGE_VALF, 3.0f}, {-HUGE_VALF, 3.0f}, {nan, 3.0f},  {1.0f, nan},  {0.0f, nan},
                                        {1e38f, 1e-3f},    {-1e38f, 1e-3f},    {0.0f, 3.0f}, {-0.0f, 3.0f}};
  const std::vector<unsigned> codes = {largest, 0x80 | largest, 0x7f, 0x7f, 0x7f, largest, 0x80 | largest, 0, 0x80};
  const auto plain = map_on_device<unsigned char>(quantize_plainly<TestType>{}, inputs);
  const auto shared = map_on_device<unsigned char>(quantize_shared<TestType>{}, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CAPTURE(inputs[i].x, inputs[i].scale);
    CHECK(unsigned{plain[i]} == codes[i]);
    CHECK(unsigned{shared[i]} == codes[i]);
  }
}

TEMPLATE_TEST_CASE("dividing by a shared scale gives the same codes wherever they could differ", "", __nv_fp8_e4m3,
                   __nv_fp8_e5m2, signed char) {
  std::vector<operands> inputs;
  for (const double middle : midpoints<TestType>()) add_hard_operands(middle, inputs);
  CHECK(inputs.size() > 1000);
  // They are what they are meant to be: quotients that lie next to a midpoint of two floats.
  int beside = 0;
  for (const operands& in : inputs) {
    const double quotient = std::abs(double{in.x} / double{in.scale});
    const auto rounded = static_cast<float>(quotient);
    const double to_midpoint =
        std::abs(std::abs(quotient - double{rounded}) / rowfold_test::ulp<float>(quotient) - 0.5);
    beside += to_midpoint <= 0x1.01p-20 ? 1 : 0;
  }
  CHECK(beside == static_cast<int>(inputs.size()));
  CHECK(disagreements<TestType>(inputs) == 0);
}

TEMPLATE_TEST_CASE("dividing by a shared scale gives the same codes for all kinds of operands", "", __nv_fp8_e4m3,
                   __nv_fp8_e5m2, signed char) {
  std::mt19937_64 engine(rowfold_test::seed());
  std::vector<operands> inputs;
  std::vector<float> special = {0.0f,      -0.0f,      1.0f,      3.0f,      -7.0f,
                                HUGE_VALF, -HUGE_VALF, 0x1p127f,  0x1p-126f, 0x1p-64f,
                                -0x1p-64f, 0x1p64f,    0x1.8p64f, 3.4e38f,   447.9f,
                                65504.0f,  0.1f,       1e-30f,    -1e-30f,   std::numeric_limits<float>::quiet_NaN()};
  if (!flushes_subnormals()) special.insert(special.end(), {0x1p-149f, 1e-40f, -1e-40f, 0x1.fffffcp-127f});
  for (const float x : special) {
    for (const float scale : special) {
      if (!std::isinf(scale)) inputs.push_back({x, scale});
    }
  }
  // Operands with few digits give exact midpoints; exponents of all sizes.
  std::uniform_int_distribution<int> digits(-4096, 4096), exponent(-120, 120), near(-20, 12);
  const auto midpoint = midpoints<TestType>();
  for (int i = 0; i < 100000; ++i) {
    const int scale_exponent = exponent(engine);
    const float scale = std::ldexp(static_cast<float>(std::abs(digits(engine)) + 1), scale_exponent - 12);
    inputs.push_back({std::ldexp(static_cast<float>(digits(engine)), scale_exponent + near(engine)), scale});
    const double middle = midpoint[engine() % midpoint.size()];
    const float close = static_cast<float>(middle * double{scale});
    inputs.push_back({close, scale});
    inputs.push_back({std::nextafter(close, HUGE_VALF), scale});
    inputs.push_back({std::nextafter(close, 0.0f), scale});
    const auto full = std::ldexp(static_cast<float>((engine() >> 40) | 1u << 23), scale_exponent - 24);
    const float near_full = static_cast<float>(middle * double{full});
    inputs.push_back({near_full, full});
    inputs.push_back({std::nextafter(near_full, HUGE_VALF), full});
    inputs.push_back({-std::nextafter(near_full, 0.0f), full});
  }
  if (flushes_subnormals()) {
    const auto subnormal = [](float value) { return value != 0 && std::abs(value) < 0x1p-126f; };
    inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                                [&](const operands& o) { return subnormal(o.x) || subnormal(o.scale); }),
                 inputs.end());
  }
  CHECK(disagreements<TestType>(inputs) == 0);
}

TEMPLATE_TEST_CASE("the dynamic scale: amax / max_finite, the smallest normal at least, 1 of zeros, NaN of NaN and inf",
                   "", __nv_fp8_e4m3, __nv_fp8_e5m2, signed char) {
  const float limit = rowfold::max_finite<TestType>;
  std::vector<float> amax = {0.0f,
                             448.0f,
                             57344.0f,
                             127.0f,
                             1.0f,
                             0x1p-126f,
                             0x1p-110f,
                             3.4e38f,
                             1e-30f,
                             HUGE_VALF,
                             std::numeric_limits<float>::quiet_NaN()};
  if (!flushes_subnormals()) amax.insert(amax.end(), {0x1p-149f, 1e-40f});
  std::mt19937_64 engine(rowfold_test::seed());
  std::uniform_real_distribution<float> exponent(-100, 120);
  for (int i = 0; i < 20000; ++i) amax.push_back(std::exp2(exponent(engine)));
  const auto scales = map_on_device<float>(scale_of<TestType>{}, amax);
  std::vector<operands> ends;
  int wrong = 0;
  for (std::size_t i = 0; i < amax.size(); ++i) {
    CAPTURE(amax[i]);
    if (amax[i] == 0) {
      CHECK(scales[i] == 1.0f);
    } else if (!std::isfinite(amax[i])) {
      CHECK(std::isnan(scales[i]));
    } else {
      wrong += scales[i] != std::max(amax[i] / limit, 0x1p-126f) ? 1 : 0;
      if (amax[i] > 0x1p-110f) ends.insert(ends.end(), {{amax[i], scales[i]}, {-amax[i], scales[i]}});
    }
  }
  CHECK(wrong == 0);
  // The largest element itself becomes the largest code, and its negative the negative of that.
  const auto codes = map_on_device<unsigned char>(quantize_shared<TestType>{}, ends);
  const auto values = map_on_device<float>(widen_byte<TestType>{}, codes);
  int inside = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) inside += values[i] != (i % 2 == 0 ? limit : -limit) ? 1 : 0;
  CHECK(inside == 0);
}

TEST_CASE("a power-of-two scale is the next one up") {
  const std::vector<float> scales = {
      1.0f, 1.5f, std::nextafter(1.0f, 2.0f), std::nextafter(1.0f, 0.0f), 0x1p-126f, 3e37f, 0.3f, std::nanf("")};
  const auto rounded = map_on_device<float>(power_of_two{}, scales);
  const std::vector<float> expected = {1.0f, 2.0f, 2.0f, 1.0f, 0x1p-126f, 0x1p125f, 0.5f};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(rounded[i] == expected[i]);
  CHECK(std::isnan(rounded.back()));
}

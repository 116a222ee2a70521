// SPDX-License-Identifier: MIT
// Conversions against a reference that knows only the formats' digits and exponents: all 65536 patterns of half and
// bfloat16, every midpoint between two neighbours, and what lies just beside it.
#include "rowfold/numeric/convert.cuh"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/check.hpp"
#include "support/run.cuh"
#include "support/subnormals.hpp"
#include "support/values.hpp"

using rowfold_test::float_format;
using rowfold_test::map_on_device;

namespace {

template <class T>
T from_pattern(unsigned pattern) {
  const auto bits = static_cast<unsigned short>(pattern);
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(value));
  return value;
}
template <class T>
unsigned pattern_of(T value) {
  unsigned short bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

template <class T>
std::vector<T> all_patterns() {
  std::vector<T> values;
  for (unsigned pattern = 0; pattern < 65536; ++pattern) values.push_back(from_pattern<T>(pattern));
  return values;
}

// The value of a 16-bit pattern, from the definition of the format.
template <class T>
double decode(unsigned pattern) {
  constexpr int fraction_bits = float_format<T>::digits - 1;
  constexpr unsigned fraction_limit = 1u << fraction_bits;
  const unsigned fraction = pattern % fraction_limit;
  const unsigned exponent = (pattern & 0x7fffu) / fraction_limit;
  const unsigned all_ones = 0x7fffu / fraction_limit;
  const double sign = pattern >= 0x8000u ? -1 : 1;
  if (exponent == all_ones) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  const int power = float_format<T>::min_exponent - fraction_bits;
  if (exponent == 0) return sign * std::ldexp(fraction, power);
  return sign * std::ldexp(fraction_limit + fraction, power + static_cast<int>(exponent) - 1);
}

// `value` rounded to the format, to nearest even: scaled so that the last digit is a unit, rounded, scaled back.
template <class T>
double round_to_format(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double step = rowfold_test::ulp<T>(value);
  const double rounded = std::nearbyint(value / step) * step;
  constexpr double beyond = 2.0;  // the exponent range is symmetric but for one: max_finite < 2^(2 - min_exponent)
  const double limit = std::ldexp(beyond, 1 - float_format<T>::min_exponent);
  return std::abs(rounded) >= limit ? std::copysign(std::numeric_limits<double>::infinity(), value) : rounded;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class To>
struct convert_to {
  template <class From>
  ROWFOLD_DEVICE To operator()(From x) const {
    return rowfold::convert<To>(x);
  }
};

template <class T>
struct widen {
  ROWFOLD_DEVICE float operator()(T x) const { return rowfold::to_accumulate(x); }
};

// Midpoints between neighbouring values, themselves and displaced by amounts that only double can hold.
template <class T, class From>
std::vector<From> midpoints() {
  std::vector<From> values;
  for (unsigned pattern = 0; pattern < 65536; ++pattern) {
    const double low = decode<T>(pattern);
    if (!std::isfinite(low)) continue;
    const double half_step = rowfold_test::ulp<T>(low) / 2;
    const double middle = low < 0 ? low - half_step : low + half_step;
    const double nudge = std::is_same<From, double>::value ? 0x1p-40 : 0x1p-23;
    for (const double factor : {1.0, 1 + nudge, 1 - nudge / 2}) values.push_back(static_cast<From>(middle * factor));
  }
  for (const double special : {0.0, -0.0, 1e300, -1e300, 1e-300, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    values.push_back(static_cast<From>(special));
  }
  return values;
}

template <class T, class From>
void check_narrowing() {
  const auto inputs = midpoints<T, From>();
  const auto outputs = map_on_device<T>(convert_to<T>{}, inputs);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double expected = round_to_format<T>(static_cast<double>(inputs[i]));
    if (same(decode<T>(pattern_of(outputs[i])), expected)) continue;
    if (wrong++ == 0) {
      UNSCOPED_INFO("first at " << inputs[i] << ": " << decode<T>(pattern_of(outputs[i])) << ", not " << expected);
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("16-bit types widen exactly", "", __half, __nv_bfloat16) {
  const auto widened = map_on_device<float>(widen<TestType>{}, all_patterns<TestType>());
  std::size_t wrong = 0;
  for (unsigned pattern = 0; pattern < 65536; ++pattern) {
    if (!same(static_cast<double>(widened[pattern]), decode<TestType>(pattern))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("narrowing to a 16-bit type rounds once, to nearest even", "", __half, __nv_bfloat16) {
  SECTION("from float") { check_narrowing<TestType, float>(); }
  SECTION("from double") { check_narrowing<TestType, double>(); }
}

namespace {
template <class T>
struct pair_round_trip {
  // Widens a packed pair by the pair conversion, narrows it by the pair conversion.
  ROWFOLD_DEVICE unsigned operator()(unsigned word) const {
    const rowfold::float_pair both = rowfold::to_accumulate(rowfold::pair_bits<T>{word});
    return rowfold::pair_from_accumulate<T>(both.first, both.second).word;
  }
};
template <class T>
struct pair_second {
  ROWFOLD_DEVICE float operator()(unsigned word) const {
    return rowfold::to_accumulate(rowfold::pair_bits<T>{word}).second;
  }
};
}  // namespace

TEMPLATE_TEST_CASE("pairs convert like single elements, the first from the low half", "", __half, __nv_bfloat16) {
  std::vector<unsigned> words;
  // The second element runs through all patterns, the first through all in another order; NaNs are left out since
  // their bits may change.
  for (unsigned pattern = 0; pattern < 65536; ++pattern) {
    const unsigned other = (pattern * 40503u + 12345u) % 65536u;
    if (!std::isnan(decode<TestType>(pattern)) && !std::isnan(decode<TestType>(other))) {
      words.push_back(pattern << 16 | other);
    }
  }
  REQUIRE(words.size() > 60000);
  const auto round_trips = map_on_device<unsigned>(pair_round_trip<TestType>{}, words);
  const auto seconds = map_on_device<float>(pair_second<TestType>{}, words);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (round_trips[i] != words[i]) ++wrong;
    if (!same(static_cast<double>(seconds[i]), decode<TestType>(words[i] >> 16))) ++wrong;
  }
  CHECK(wrong == 0);
}

namespace {
template <class T>
struct narrow_pair {
  ROWFOLD_DEVICE unsigned operator()(float x) const {
    // The first element is zero, so that only the second shows.
    return rowfold::pair_from_accumulate<T>(0.0f, x).word;
  }
};
}  // namespace

TEMPLATE_TEST_CASE("narrowing a pair rounds to nearest even", "", __half, __nv_bfloat16) {
  const auto inputs = midpoints<TestType, float>();
  const auto words = map_on_device<unsigned>(narrow_pair<TestType>{}, inputs);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double expected = round_to_format<TestType>(static_cast<double>(inputs[i]));
    if (!same(decode<TestType>(words[i] >> 16), expected) || words[i] % 65536u != 0) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("between float and double") {
  const std::vector<double> inputs = {1.0, 1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-50, 1e300, -1e-320, 0x1p-150, 0x1.8p-149};
  const auto floats = map_on_device<float>(convert_to<float>{}, inputs);
  const float smallest = rowfold_test::subnormals_are_zero ? 0.0f : 0x1p-148f;
  CHECK(floats == std::vector<float>{1.0f, 1.0f, 1 + 0x1p-23f, HUGE_VALF, -0.0f, 0.0f, smallest});
  CHECK(map_on_device<double>(convert_to<double>{}, std::vector<float>{0.1f}) ==
        std::vector<double>{static_cast<double>(0.1f)});
}

TEST_CASE("the library knows its types") {
  using rowfold::accumulate_t;
  STATIC_REQUIRE(rowfold::is_same<accumulate_t<float>, float>);
  STATIC_REQUIRE(rowfold::is_same<accumulate_t<double>, double>);
  STATIC_REQUIRE(rowfold::is_same<accumulate_t<__half>, float>);
  STATIC_REQUIRE(rowfold::is_same<accumulate_t<__nv_bfloat16>, float>);
  STATIC_REQUIRE(rowfold::is_supported<__half>);
  STATIC_REQUIRE_FALSE(rowfold::is_supported<int>);
  CHECK(static_cast<double>(rowfold::max_finite<__half>) == decode<__half>(0x7bff));
  CHECK(static_cast<double>(rowfold::max_finite<__nv_bfloat16>) == decode<__nv_bfloat16>(0x7f7f));
  CHECK(rowfold::max_finite<float> == std::numeric_limits<float>::max());
  CHECK(rowfold::max_finite<double> == std::numeric_limits<double>::max());
  CHECK(rowfold::limits<float>::infinity == std::numeric_limits<float>::infinity());
  CHECK(rowfold::limits<float>::min_normal == std::numeric_limits<float>::min());
  CHECK(rowfold::limits<float>::unit_roundoff == std::numeric_limits<float>::epsilon() / 2);
  CHECK(rowfold::limits<double>::infinity == std::numeric_limits<double>::infinity());
  CHECK(rowfold::limits<double>::min_normal == std::numeric_limits<double>::min());
  CHECK(rowfold::limits<double>::unit_roundoff == std::numeric_limits<double>::epsilon() / 2);
}

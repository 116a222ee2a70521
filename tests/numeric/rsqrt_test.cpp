// SPDX-License-Identifier: MIT
// The reciprocal square root: in float against integers alone, in double against long double, the fast one against its
// stated error. The GPU suite runs this also as built with --use_fast_math.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "rowfold/numeric/math.cuh"
#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::map_on_device;
namespace math = rowfold::math;

namespace {

struct reciprocal_root {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return math::rsqrt_rn(x);
  }
};
struct reciprocal_root_of_normal {
  ROWFOLD_DEVICE float operator()(float x) const {
    return math::is_for_rsqrt_of_normal(x) ? math::rsqrt_of_normal(x) : -1.0f;
  }
};
struct fast_reciprocal_root {
  ROWFOLD_DEVICE float operator()(float x) const { return math::fast::rsqrt(x); }
};

// Whether y is 1 / sqrt(x) rounded to nearest, for x in [1, 4), by integers alone: (y - u/2)^2 x <= 1 <= (y + u/2)^2 x.
bool is_rounded_rsqrt(float x, float y) {
  int exponent = 0;
  std::frexp(y, &exponent);
  const auto twice = static_cast<unsigned long long>(std::ldexp(static_cast<double>(y), 25 - exponent));
  const auto significand = static_cast<unsigned long long>(std::ldexp(static_cast<double>(x), 23));
  // y = twice * 2^(exponent - 25) and x = significand * 2^-23, so that 1 in the unit of twice^2 * significand is:
  const unsigned one_digits = static_cast<unsigned>(2 * (25 - exponent) + 23);
  // 50 + 25 digits do not fit into 64 bits: compare the upper and lower halves of the product.
  const auto compare = [&](unsigned long long root) {
    const unsigned long long low = root * root % (1ull << 32) * significand;
    const unsigned long long high = root * root / (1ull << 32) * significand + low / (1ull << 32);
    const unsigned long long one_high = 1ull << (one_digits - 32);
    if (high != one_high) return high < one_high ? -1 : 1;
    return low % (1ull << 32) == 0 ? 0 : 1;
  };
  return compare(twice - 1) <= 0 && compare(twice + 1) >= 0;
}

}  // namespace

TEST_CASE("the float reciprocal square root is correctly rounded") {
  std::vector<float> inputs;
  constexpr unsigned stride = 61;  // of the 2^24 floats in [1, 4), which cover all significands and exponent parities
  for (unsigned bits = 0x3f800000u; bits < 0x40800000u; bits += stride) {
    float x;
    std::memcpy(&x, &bits, sizeof(x));
    inputs.push_back(x);
  }
  const auto outputs = map_on_device<float>(reciprocal_root{}, inputs);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_rounded_rsqrt(inputs[i], outputs[i])) ++wrong;
  }
  CHECK(wrong == 0);
  // The test itself: a neighbour is refused.
  CHECK_FALSE(is_rounded_rsqrt(3.0f, std::nextafter(0.577350259f, 1.0f)));
  CHECK_FALSE(is_rounded_rsqrt(3.0f, std::nextafter(0.577350259f, 0.0f)));
}

TEST_CASE("normal numbers have a reciprocal square root of the same bits in fewer instructions") {
  std::vector<float> inputs;
  constexpr unsigned stride = 191;  // as above
  for (const float scale : {0x1p-126f, 0x1p-63f, 0x1p-20f, 1.0f, 0x1p61f, 0x1p62f}) {
    for (unsigned bits = 0x3f800000u; bits < 0x40800000u; bits += stride) {
      float x;
      std::memcpy(&x, &bits, sizeof(x));
      inputs.push_back(x * scale);
    }
  }
  inputs.push_back(std::nextafter(0x1p64f, 0.0f));
  CHECK(map_on_device<float>(reciprocal_root_of_normal{}, inputs) == map_on_device<float>(reciprocal_root{}, inputs));

  // All others are told from them.
  const std::vector<float> others{
      0.0f,       -0.0f, std::nextafter(0x1p-126f, 0.0f), 0x1p-149f, 0x1p64f, -1.0f, 0x1p127f, -0x1p-126f, HUGE_VALF,
      -HUGE_VALF, NAN};
  CHECK(map_on_device<float>(reciprocal_root_of_normal{}, others) == std::vector<float>(others.size(), -1.0f));
}

TEST_CASE("other exponents and special values of the reciprocal square root") {
  const float infinity = HUGE_VALF;
  const auto floats = map_on_device<float>(reciprocal_root{},
                                           std::vector<float>{4.0f, 0x1p-126f, 0x1p126f, 0.0f, infinity, -1.0f, NAN});
  CHECK(floats[0] == 0.5f);
  CHECK(floats[1] == 0x1p63f);
  CHECK(floats[2] == 0x1p-63f);
  CHECK(floats[3] == infinity);
  CHECK(floats[4] == 0.0f);
  CHECK(std::isnan(floats[5]));
  CHECK(std::isnan(floats[6]));

  std::vector<double> inputs;
  for (int i = 1; i < 1000; ++i) {
    for (const double scale : {1.0, 0x1p-1020, 0x1p890}) inputs.push_back(i / 7.0 * scale);
  }
  const auto doubles = map_on_device<double>(reciprocal_root{}, inputs);
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const long double exact = 1 / std::sqrt(static_cast<long double>(inputs[i]));
    const long double error = std::abs(static_cast<long double>(doubles[i]) - exact);
    worst = std::max(worst, static_cast<double>(error) / rowfold_test::ulp<double>(doubles[i]));
  }
  CHECK(worst > 0);
  CHECK(worst <= 0.51);

  const auto ends = map_on_device<double>(
      reciprocal_root{}, std::vector<double>{0.0, 0x1p-1074, 0x1p-1022, 0x1p1022, HUGE_VAL, -1.0, NAN});
  CHECK(ends[0] == HUGE_VAL);
  CHECK(ends[1] == 0x1p537);
  CHECK(ends[2] == 0x1p511);
  CHECK(ends[3] == 0x1p-511);
  CHECK(ends[4] == 0.0);
  CHECK(std::isnan(ends[5]));
  CHECK(std::isnan(ends[6]));
}

TEST_CASE("the fast reciprocal square root keeps its stated error") {
  std::vector<float> inputs;
  for (int i = 1; i < 20000; ++i) inputs.push_back(static_cast<float>(i) * 0.013f);
  const auto outputs = map_on_device<float>(fast_reciprocal_root{}, inputs);
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double exact = 1 / std::sqrt(static_cast<double>(inputs[i]));
    worst = std::max(worst, std::abs(static_cast<double>(outputs[i]) - exact) / exact);
  }
  CHECK(worst > 0);
  CHECK(worst <= std::pow(2.0, -22.9));
}

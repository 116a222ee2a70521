// SPDX-License-Identifier: MIT
// The tests' own tools: conversions, units in the last place, random values.
#include "support/values.hpp"

#include "support/check.hpp"

using namespace rowfold_test;

TEST_CASE("from_double rounds once, ties to even") {
  CHECK(to_double(from_double<__half>(2049)) == 2048);
  CHECK(to_double(from_double<__half>(2051)) == 2052);
  CHECK(to_double(from_double<__nv_bfloat16>(257)) == 256);
  CHECK(to_double(from_double<__nv_bfloat16>(259)) == 260);
  // Just above a tie: rounding to float first would fall on the tie and go to the even neighbour below.
  CHECK(to_double(from_double<__nv_bfloat16>(257 + 0x1p-40)) == 258);
  CHECK(to_double(from_double<__half>(2049 + 0x1p-40)) == 2050);
  CHECK(to_double(from_double<__half>(0x1p-24)) == 0x1p-24);
  CHECK(std::isinf(to_double(from_double<__half>(65520))));
  CHECK(to_double(from_double<float>(0.1)) == 0.1f);
}

TEMPLATE_TEST_CASE("ulp is the distance to the next value", "", float, __half, __nv_bfloat16) {
  using format = float_format<TestType>;
  for (const double value : {1.0, 1.5, 0.75, 1000.0, -3.0}) {
    CAPTURE(format::name, value);
    const double magnitude = std::abs(value);
    const double next = magnitude + ulp<TestType>(value);
    CHECK(to_double(from_double<TestType>(next)) == next);
    CHECK(to_double(from_double<TestType>(magnitude + 0.49 * ulp<TestType>(value))) == magnitude);
    CHECK(to_double(from_double<TestType>(magnitude + 0.51 * ulp<TestType>(value))) == next);
  }
  // At and below the smallest normal number the spacing no longer shrinks.
  const double smallest = std::ldexp(1.0, format::min_exponent - format::digits + 1);
  CHECK(ulp<TestType>(0) == smallest);
  CHECK(to_double(from_double<TestType>(smallest)) == smallest);
}

TEST_CASE("ulp_error treats NaN and infinity as values") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(ulp_error<float>(nan, nan) == 0);
  CHECK(ulp_error<float>(infinity, infinity) == 0);
  CHECK(ulp_error<float>(infinity, -infinity) == infinity);
  CHECK(ulp_error<float>(nan, 1) == infinity);
  CHECK(ulp_error<float>(1, nan) == infinity);
  CHECK(ulp_error<float>(1 + 0x1p-23, 1) == 1);
  CHECK(ulp_error<float>(0x1p-23, 0, 1) == 1);
}

TEST_CASE("random values follow their distribution and their seed") {
  const auto first = random_values<double>(4, 1000, distribution::shifted);
  CHECK(first == random_values<double>(4, 1000, distribution::shifted));
  CHECK(first != random_values<double>(4, 1000, distribution::shifted, 1));
  double sum = 0;
  for (const double value : first) sum += value;
  CHECK(std::abs(sum / 4000 - 1e4) < 0.1);  // six standard deviations of the mean of 4000
  const auto outliers = random_values<double>(8, 64, distribution::outlier);
  int large = 0;
  for (const double value : outliers) large += value == 1e3;
  CHECK(large == 8);
  for (const double value : random_values<double>(1, 1000, distribution::integers))
    CHECK((value == std::floor(value) && std::abs(value) <= 8));
}

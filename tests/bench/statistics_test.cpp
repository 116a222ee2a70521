// SPDX-License-Identifier: MIT
// The figures that benchmarks report, and what they accept as a right result. Both could be silently wrong: neither has
// a second opinion on a machine with a GPU.
#include <cmath>
#include <limits>
#include <vector>

#include "../../bench/support/closeness.hpp"
#include "../../bench/support/statistics.hpp"
#include "support/check.hpp"

using namespace rowfold_bench;

TEST_CASE("median is the middle value, or the mean of the two middle ones", "[bench]") {
  CHECK(median({3}) == 3.0);
  CHECK(median({9, 1, 5}) == 5.0);
  CHECK(median({4, 1, 2, 100}) == 3.0);
  CHECK(std::isnan(median({})));
}

TEST_CASE("noise is the median distance from the median, relative to it", "[bench]") {
  CHECK(relative_noise({5, 5, 5}) == 0.0);
  CHECK(relative_noise({8, 10, 11}) == Catch::Approx(0.1));
  CHECK(relative_noise({9, 10, 10, 11, 1000}) == Catch::Approx(0.1));  // the outlier counts as one of five
}

TEST_CASE("a 16-bit result may be one step from the rounded value", "[bench]") {
  const double expected = 1.0 + 0x1p-12;  // rounds to 1 in bfloat16 (8 bits) and in half (11 bits)
  CHECK(close_enough(__double2bfloat16(1.0), expected, 1.0));
  CHECK(close_enough(__double2bfloat16(1.0 + 0x1p-7), expected, 1.0));
  CHECK_FALSE(close_enough(__double2bfloat16(1.0 + 0x1p-6), expected, 1.0));
  CHECK(close_enough(__double2half(1.0 - 0x1p-11), expected, 1.0));
  CHECK_FALSE(close_enough(__double2half(1.0 - 0x1p-10), expected, 1.0));
  CHECK(close_enough(__double2half(-0x1p-24), 0.0, 0.0));  // the neighbour across zero
  CHECK_FALSE(close_enough(__double2half(0x1p-23), 0.0, 0.0));
}

TEST_CASE("a float result may be 8 units of the largest term away", "[bench]") {
  CHECK(close_enough(1.0f + 8 * 0x1p-23f, 1.0, 1.0));
  CHECK_FALSE(close_enough(1.0f + 9 * 0x1p-23f, 1.0, 1.0));
  CHECK(close_enough(8 * 0x1p-23f, 0.0, 1.5));  // cancelled: the terms were near 1.5, whose unit is that of 1
  CHECK_FALSE(close_enough(9 * 0x1p-23f, 0.0, 1.5));
  CHECK_FALSE(close_enough(0x1p-23f, 0.0, 0.0));
  CHECK(close_enough(__double2bfloat16(8 * 0x1p-23), 0.0, 1.0));
}

TEST_CASE("NaN and infinity are never right", "[bench]") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(close_enough(nan, 1.0, 1.0));
  CHECK_FALSE(close_enough(infinity, 1.0, 1.0));
  CHECK_FALSE(close_enough(1.0f, static_cast<double>(nan), 1.0));
  CHECK_FALSE(close_enough(__double2half(1.0e9), 1.0e9, 1.0));  // overflowed
  CHECK_FALSE(close_enough(__float2bfloat16_rn(nan), 1.0, 1.0));
}

TEST_CASE("sampled rows hold the first and the last, each once", "[bench]") {
  CHECK(sample_rows(0, 16, 1).empty());
  CHECK(sample_rows(1, 16, 1) == std::vector<std::int64_t>{0});
  CHECK(sample_rows(3, 16, 1) == std::vector<std::int64_t>{0, 1, 2});
  const std::vector<std::int64_t> rows = sample_rows(std::int64_t{1} << 33, 16, 7);
  REQUIRE(rows.size() == 16);
  CHECK(rows.front() == 0);
  CHECK(rows.back() == (std::int64_t{1} << 33) - 1);
  CHECK(rows != sample_rows(std::int64_t{1} << 33, 16, 8));
}

// SPDX-License-Identifier: MIT
// Moments and the online softmax on one thread, in two parts that are merged: sets that would cancel, empty and uneven
// sets, counts that float does not hold; masked slices, nothing at all, infinities, NaN.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "folds/fold_on_device.cuh"
#include "rowfold/folds/max_sum.cuh"
#include "rowfold/folds/moments.cuh"
#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::buffer;
using rowfold_test::distribution;
using rowfold_test::fold;
using rowfold_test::random_values;
using rowfold_test::to_double;
using rowfold_test::values;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");
}  // namespace

namespace {

struct reference_moments {
  double mean = 0, m2 = 0;
};
template <class T>
reference_moments exact_moments(const std::vector<T>& x) {
  long double total = 0, squares = 0;
  for (const T v : x) total += static_cast<long double>(v);
  const long double mean = total / static_cast<long double>(x.size());
  for (const T v : x) squares += (static_cast<long double>(v) - mean) * (static_cast<long double>(v) - mean);
  return {static_cast<double>(mean), static_cast<double>(squares)};
}

template <class T>
struct merge_body {
  rowfold::moments<T> a, b;
  rowfold::moments<T>* out;
  ROWFOLD_DEVICE void operator()() const { *out = rowfold::merge_moments{}(a, b); }
};
template <class T>
rowfold::moments<T> merge(rowfold::moments<T> a, rowfold::moments<T> b) {
  buffer<rowfold::moments<T>> out(1);
  rowfold_test::run(merge_body<T>{a, b, out.data()});
  return out.download()[0];
}

}  // namespace

TEMPLATE_TEST_CASE("moments do not cancel, whatever the split", "", float, double) {
  using T = TestType;
  for (const auto kind : {distribution::normal, distribution::shifted, distribution::outlier}) {
    const auto x = random_values<T>(1, 777, kind);
    const auto expected = exact_moments(x);
    for (const int split : {0, 1, 388, 700, 777}) {
      CAPTURE(rowfold_test::name(kind), split);
      const auto result = fold<rowfold::moments_fold<T>>(x, split);
      CHECK(result.count == 777);
      // 1e-5 in float, in units of the roundoff, and once more as the mean outweighs the spread. (E[x^2] - E[x]^2 would
      // lose the square of that ratio: 1e8 units for the shifted rows.)
      const double roundoff = std::numeric_limits<T>::epsilon() / 2;
      const double ratio = std::abs(expected.mean) / std::sqrt(expected.m2 / 777);
      CHECK(std::abs(to_double(result.m2) - expected.m2) <= roundoff * (168 + ratio) * expected.m2);
      // The mean of 777 additions of shares; a few units in the last place of the largest value.
      const double scale = kind == distribution::outlier ? 1e3 : std::abs(expected.mean) + 1;
      CHECK(std::abs(to_double(result.mean) - expected.mean) <= 16 * rowfold_test::ulp<T>(scale));
    }
  }
  const auto constant = fold<rowfold::moments_fold<T>>(std::vector<T>(100, T(0.1)), 37);
  CHECK(constant.mean == T(0.1));
  CHECK(constant.m2 == T(0));
}

TEMPLATE_TEST_CASE("merging moments: exact counts, empty sides, no division for equal counts", "", float, double) {
  using T = TestType;
  const auto large = merge<T>({T(2), T(0), 1 << 24}, {T(2), T(0), 1});
  CHECK(static_cast<double>(large.count) == 16777217.0);  // which float does not hold
  CHECK(large.mean == T(2));

  // Nothing but the count of an empty set means anything.
  const T junk = static_cast<T>(not_a_number);
  const rowfold::moments<T> some{T(0.1), T(0.3), 3}, none{junk, junk, 0};
  for (const auto& result : {merge<T>(some, none), merge<T>(none, some)}) {
    CHECK(result.mean == some.mean);
    CHECK(result.m2 == some.m2);
    CHECK(result.count == 3);
  }
  CHECK(merge<T>(none, none).count == 0);

  const auto halves = merge<T>({T(1), T(2), 4}, {T(3), T(5), 4});
  CHECK(halves.mean == T(2));
  CHECK(halves.m2 == T(2 + 5 + 4 * 2));  // (3 - 1)^2 * 4 * 4 / 8
  const auto uneven = merge<T>({T(1), T(0), 1}, {T(5), T(0), 3});
  CHECK(uneven.mean == T(4));
  CHECK(uneven.m2 == T(12));  // (5 - 1)^2 * 1 * 3 / 4
}

TEMPLATE_TEST_CASE("online softmax: the largest value and the sum of exponentials", "", float, double) {
  using T = TestType;
  for (const auto kind : {distribution::normal, distribution::outlier, distribution::shifted}) {
    const auto x = random_values<T>(1, 300, kind);
    double largest = -infinity, sum = 0;
    for (const T v : x) largest = std::max(largest, to_double(v));
    for (const T v : x) sum += std::exp(to_double(v) - largest);
    for (const int split : {0, 1, 150, 300}) {
      CAPTURE(rowfold_test::name(kind), split);
      const auto result = fold<rowfold::max_sum_fold<T>>(x, split);
      CHECK(to_double(result.max) == largest);
      // Up to 300 additions of half a unit roundoff each, and the exponentials' errors.
      CHECK(std::abs(to_double(result.sum) - sum) <= 300 * std::numeric_limits<T>::epsilon() * sum);
    }
  }
}

TEMPLATE_TEST_CASE("online softmax: masked slices, nothing at all, infinities, NaN", "", float, double) {
  using T = TestType;
  using max_sum_fold = rowfold::max_sum_fold<T>;
  // Nothing but -inf on either side of the merge, or on both, or no element.
  for (const int split : {0, 2, 3, 4, 6}) {
    CAPTURE(split);
    const auto masked = fold<max_sum_fold>(values<T>({-infinity, -infinity, -infinity, 1, -infinity, 1}), split);
    CHECK(masked.max == T(1));
    CHECK(masked.sum == T(2));
    const auto empty = fold<max_sum_fold>(std::vector<T>(6, -std::numeric_limits<T>::infinity()), split);
    CHECK(empty.max == -std::numeric_limits<T>::infinity());
    CHECK(empty.sum == T(0));
    for (const double poison : {infinity, not_a_number}) {
      const auto poisoned = fold<max_sum_fold>(values<T>({1, -infinity, poison, 3, -infinity, 4}), split);
      CHECK(std::isnan(poisoned.sum));
    }
    const auto twice = fold<max_sum_fold>(values<T>({infinity, 1, 1, 1, 1, infinity}), split);
    CHECK(std::isnan(twice.sum));
  }
  CHECK(fold<max_sum_fold>(std::vector<T>{}, 0).sum == T(0));
  // Far apart: the smaller one vanishes and nothing overflows.
  const T most = std::numeric_limits<T>::max();
  const auto extreme = fold<max_sum_fold>(std::vector<T>{-most, most, -most}, 1);
  CHECK(extreme.max == most);
  CHECK(extreme.sum == T(1));
}

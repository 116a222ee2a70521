// SPDX-License-Identifier: MIT
// The folds on one thread: every element added, or two halves added and merged, against a reference in double; their
// identities; NaN, infinities, ties and signed zeros; moments that would cancel; the online softmax with masked slices.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "rowfold/folds/indexed.cuh"
#include "rowfold/folds/max_sum.cuh"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/folds/moments.cuh"
#include "rowfold/folds/sum.cuh"
#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::buffer;
using rowfold_test::distribution;
using rowfold_test::random_values;
using rowfold_test::to_double;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

// Equal bits, member by member: padding between members means nothing.
template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T, class I>
bool same(const rowfold::indexed<T, I>& a, const rowfold::indexed<T, I>& b) {
  return same(a.value, b.value) && a.index == b.index;
}
template <class T>
bool same(const rowfold::moments<T>& a, const rowfold::moments<T>& b) {
  return same(a.mean, b.mean) && same(a.m2, b.m2) && a.count == b.count;
}

// Folds x[0 .. split) and x[split .. count) into a state each, and merges the two.
template <class Fold, class Acc>
struct fold_body {
  const Acc* x;
  int count;
  int split;
  typename Fold::state* out;
  ROWFOLD_DEVICE void operator()() const {
    const Fold fold{};
    auto left = fold.identity();
    auto right = fold.identity();
    for (int i = 0; i < split; ++i) fold.add(left, x[i], i);
    for (int i = split; i < count; ++i) fold.add(right, x[i], i);
    out[0] = fold.merge(left, right);
    out[1] = fold(left, right);  // a fold is an operator, too
  }
};

template <class Fold, class Acc>
typename Fold::state fold(const std::vector<Acc>& x, int split) {
  static_assert(std::is_trivially_copyable<typename Fold::state>::value, "states travel as bytes");
  buffer<Acc> in(x.size());
  buffer<typename Fold::state> out(2);
  in.upload(x);
  rowfold_test::run(fold_body<Fold, Acc>{in.data(), static_cast<int>(x.size()), split, out.data()});
  const auto results = out.download();
  CHECK(same(results[0], results[1]));
  CHECK(out.canaries_intact());
  return results[0];
}

template <class Acc>
std::vector<Acc> values(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}

// The bound of contracts for sums in a chain: (number of additions) * unit roundoff * sum of magnitudes.
template <class Acc>
double sum_bound(const std::vector<double>& terms) {
  double magnitude = 0;
  for (const double term : terms) magnitude += std::abs(term);
  return static_cast<double>(terms.size()) * (std::numeric_limits<Acc>::epsilon() / 2) * magnitude;
}

}  // namespace

TEMPLATE_TEST_CASE("sum, product and sum of squares", "", float, double) {
  using T = TestType;
  for (const int count : {0, 1, 2, 33, 257}) {
    CAPTURE(count);
    const auto x = random_values<T>(1, static_cast<std::size_t>(count), distribution::normal);
    double total = 0;
    std::vector<double> terms, squares;
    double square_total = 0;
    for (const T v : x) {
      terms.push_back(to_double(v));
      squares.push_back(to_double(v) * to_double(v));
      total += terms.back();
      square_total += squares.back();
    }
    const double slack = sizeof(T) == 8 ? 2 : 1;  // the reference, in double, rounds as often as the double fold
    for (const int split : {0, count / 3, count}) {
      const double sum = to_double(fold<rowfold::sum_fold<T>>(x, split));
      const double square_sum = to_double(fold<rowfold::sum_of_squares_fold<T>>(x, split));
      CHECK(std::abs(sum - total) <= slack * sum_bound<T>(terms));
      CHECK(std::abs(square_sum - square_total) <= slack * sum_bound<T>(squares));
    }
  }
  // 20! is below 2^62 and has 44 digits behind its factors of two: exact in double, rounded in float.
  std::vector<T> factors;
  double product = 1;
  for (int i = 1; i <= 20; ++i) {
    factors.push_back(static_cast<T>(i));
    product *= i;
  }
  CHECK(rowfold_test::ulp_error<T>(to_double(fold<rowfold::product_fold<T>>(factors, 7)), product) <= 10);
  CHECK(fold<rowfold::product_fold<T>>(std::vector<T>{}, 0) == T(1));
  CHECK(fold<rowfold::product_fold<T>>(values<T>({3, -2, 0.5}), 1) == T(-3));
}

TEMPLATE_TEST_CASE("maximum, minimum and largest magnitude", "", float, double) {
  using T = TestType;
  const auto x = values<T>({-3, -1, -2, -7, -1.5});
  for (const int split : {0, 1, 3, 5}) {
    CHECK(fold<rowfold::maximum_fold<T>>(x, split) == T(-1));
    CHECK(fold<rowfold::minimum_fold<T>>(x, split) == T(-7));
    CHECK(fold<rowfold::abs_max_fold<T>>(x, split) == T(7));
  }
  CHECK(fold<rowfold::maximum_fold<T>>(std::vector<T>{}, 0) == -std::numeric_limits<T>::infinity());
  CHECK(fold<rowfold::minimum_fold<T>>(std::vector<T>{}, 0) == std::numeric_limits<T>::infinity());
  CHECK(fold<rowfold::abs_max_fold<T>>(std::vector<T>{}, 0) == T(0));
  CHECK_FALSE(std::signbit(fold<rowfold::abs_max_fold<T>>(values<T>({-0.0}), 1)));
  // A NaN anywhere, on either side of the merge, is the result.
  for (int place = 0; place < 4; ++place) {
    auto with_nan = values<T>({1, infinity, -infinity, 2});
    with_nan[static_cast<std::size_t>(place)] = static_cast<T>(not_a_number);
    for (const int split : {0, 2, 4}) {
      CAPTURE(place, split);
      CHECK(std::isnan(fold<rowfold::maximum_fold<T>>(with_nan, split)));
      CHECK(std::isnan(fold<rowfold::minimum_fold<T>>(with_nan, split)));
      CHECK(std::isnan(fold<rowfold::abs_max_fold<T>>(with_nan, split)));
    }
  }
}

TEMPLATE_TEST_CASE("arg_max and arg_min: the lowest index among ties, the first NaN", "", float, double) {
  using T = TestType;
  using max_fold = rowfold::arg_max_fold<T>;
  using min_fold = rowfold::arg_min_fold<T>;
  const auto ties = values<T>({1, 5, -2, 5, -2, 5});
  for (int split = 0; split <= 6; ++split) {
    CAPTURE(split);
    CHECK(fold<max_fold>(ties, split).index == 1);
    CHECK(fold<max_fold>(ties, split).value == T(5));
    CHECK(fold<min_fold>(ties, split).index == 2);
    CHECK(fold<min_fold>(ties, split).value == T(-2));
    // Zeros of either sign are equal.
    CHECK(fold<max_fold>(values<T>({-1, -0.0, 0.0}), split / 2).index == 1);
    CHECK(fold<min_fold>(values<T>({1, 0.0, -0.0}), split / 2).index == 1);
    const auto with_nan = fold<max_fold>(values<T>({1, 9, not_a_number, infinity, not_a_number, 10}), split);
    CHECK(with_nan.index == 2);
    CHECK(std::isnan(with_nan.value));
    CHECK(fold<min_fold>(values<T>({1, 9, not_a_number, -infinity, not_a_number, 10}), split).index == 2);
  }
  // Rows of the value that the identity has: an element still wins.
  CHECK(fold<max_fold>(values<T>({-infinity, -infinity}), 1).index == 0);
  CHECK(fold<min_fold>(values<T>({infinity, infinity}), 0).index == 0);
  CHECK(fold<max_fold>(std::vector<T>{}, 0).index == std::numeric_limits<int>::max());
  CHECK(fold<min_fold>(std::vector<T>{}, 0).value == std::numeric_limits<T>::infinity());
}

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

namespace {

template <class T>
struct operator_body {
  T a, b;
  T* out;
  ROWFOLD_DEVICE void operator()() const {
    out[0] = rowfold::sum{}(a, b);
    out[1] = rowfold::product{}(a, b);
    out[2] = rowfold::maximum{}(a, b);
    out[3] = rowfold::minimum{}(a, b);
  }
};
template <class T>
std::vector<T> operators(T a, T b) {
  buffer<T> out(4);
  rowfold_test::run(operator_body<T>{a, b, out.data()});
  return out.download();
}

}  // namespace

TEMPLATE_TEST_CASE("operators on 16-bit types round the exact result once", "", __half, __nv_bfloat16) {
  const auto x = random_values<TestType>(1, 400, distribution::normal);
  for (std::size_t i = 0; i + 1 < x.size(); i += 40) {
    const double a = to_double(x[i]), b = to_double(x[i + 1]);
    const auto results = to_double(operators(x[i], x[i + 1]));
    const auto rounded = [](double v) { return to_double(rowfold_test::from_double<TestType>(v)); };
    CHECK(results[0] == rounded(a + b));
    CHECK(results[1] == rounded(a * b));
    CHECK(results[2] == std::max(a, b));
    CHECK(results[3] == std::min(a, b));
  }
}

TEST_CASE("operators on integers") {
  CHECK(operators(-7, 3) == std::vector<int>{-4, -21, 3, -7});
  CHECK(operators(7ull, 1ull << 40) == std::vector<unsigned long long>{(1ull << 40) + 7, 7ull << 40, 1ull << 40, 7});
}

TEST_CASE("which operators promise that operands may be exchanged") {
  STATIC_REQUIRE(rowfold::is_commutative<rowfold::sum, float>);
  STATIC_REQUIRE(rowfold::is_commutative<rowfold::sum_fold<float>, float>);
  STATIC_REQUIRE_FALSE(rowfold::is_commutative<rowfold::sum, double>);
  STATIC_REQUIRE(rowfold::is_commutative<rowfold::maximum, double>);
  STATIC_REQUIRE(rowfold::is_commutative<rowfold::arg_max, rowfold::indexed<float, int>>);
  STATIC_REQUIRE_FALSE(rowfold::is_commutative<rowfold::merge_moments, rowfold::moments<float>>);
  struct users_own {
    int operator()(int a, int b) const { return a - b; }
  };
  STATIC_REQUIRE_FALSE(rowfold::is_commutative<users_own, int>);
}

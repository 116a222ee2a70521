// SPDX-License-Identifier: MIT
// Sums, extrema and places of extrema on one thread: all elements added, or two parts added and merged, against a
// reference in double; identities; NaN, infinities, ties and signed zeros; the operators on other types.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "folds/fold_on_device.cuh"
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
using rowfold_test::fold;
using rowfold_test::random_values;
using rowfold_test::to_double;
using rowfold_test::values;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

// The error bound of a sum in a chain: (number of additions) * unit roundoff * sum of magnitudes.
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

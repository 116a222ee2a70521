// SPDX-License-Identifier: MIT
// The sum of exp over values that come in granules: right for any values and order, and never a NaN that was not there.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rowfold/folds/exp_sum.cuh"
#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using namespace rowfold_test;

namespace {

constexpr int length = 4096;

// One thread adds `length` values, N at a time.
template <class T, int N>
struct add_body {
  const T* x;
  rowfold::exp_sum<T>* result;

  ROWFOLD_DEVICE void operator()() const {
    rowfold::exp_sum<T> s = rowfold::no_exp_sum<T>();
    for (int i = 0; i < length; i += N) {
      rowfold::vec<T, N> granule;
      for (int k = 0; k < N; ++k) granule[k] = x[i + k];
      rowfold::add_exp(s, granule);
    }
    *result = s;
  }
};

template <class T, int N>
rowfold::exp_sum<T> add_all(const std::vector<double>& values) {
  std::vector<T> x;
  for (const double value : values) x.push_back(from_double<T>(value));
  buffer<T> in(x.size());
  buffer<rowfold::exp_sum<T>> out(1);
  in.upload(x);
  run(add_body<T, N>{in.data(), out.data()});
  return out.download()[0];
}

template <class T, int N>
void check(const std::vector<double>& values) {
  const rowfold::exp_sum<T> s = add_all<T, N>(values);
  double largest = -std::numeric_limits<double>::infinity();
  for (const double value : values) largest = std::max(largest, to_double(from_double<T>(value)));
  long double sum = 0;
  for (const double value : values)
    sum += std::exp(static_cast<long double>(to_double(from_double<T>(value)) - largest));
  CHECK(to_double(s.base) <= largest);
  CHECK(to_double(s.base) >= largest - 2);
  const long double kept = static_cast<long double>(s.sum) - static_cast<long double>(s.lost);
  const double found = static_cast<double>(static_cast<long double>(s.base) - largest + std::log(kept) - std::log(sum));
  // Exponentials are within 2 units, the sum within one.
  CHECK(std::abs(found) <= 6 * std::max(1.0, static_cast<double>(std::log(sum))) * ulp<T>(1.0));
}

std::vector<double> make(double (*value)(int)) {
  std::vector<double> x;
  for (int i = 0; i < length; ++i) x.push_back(value(i));
  return x;
}

}  // namespace

TEST_CASE("sums of exp are right for values that rise, fall, jump, or are all equal") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> rows[] = {
      make([](int i) { return 1e-3 * i; }),
      make([](int i) { return 2.5 * i; }),
      make([](int i) { return -1e-2 * i; }),
      make([](int) { return 0.3; }),
      make([](int i) { return i == length - 1 ? 0.0 : -8.0; }),
      make([](int i) { return i == 0 ? 0.0 : -8.0; }),
      make([](int i) { return std::sin(i) * 3; }),
      make([](int i) { return i % 2 == 0 ? -3e38 : 3e38; }),
      make([](int i) { return i % 5 == 0 ? 1.0 : -infinity; }),
      make([](int i) { return i == 77 ? -3.4e38 : -infinity; }),
  };
  for (const std::vector<double>& values : rows) {
    INFO("first value " << values[0] << ", second " << values[1]);
    check<float, 1>(values);
    check<float, 4>(values);
    check<float, 8>(values);
    check<double, 2>(values);
  }
}

TEST_CASE("sums of exp: nothing, -inf alone, NaN and +inf") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto absent = add_all<float, 8>(make([](int) { return -infinity; }));
  CHECK(absent.sum == 0);
  CHECK(absent.lost == 0);
  CHECK(absent.base == -std::numeric_limits<float>::max());
  for (const double value : {infinity, std::numeric_limits<double>::quiet_NaN()}) {
    for (const std::size_t place : {0, 9, length - 1}) {
      std::vector<double> x = make([](int i) { return 0.01 * i; });
      x[place] = value;
      CHECK(std::isnan(add_all<float, 8>(x).sum));
      x = make([](int) { return -infinity; });
      x[place] = value;
      CHECK(std::isnan(add_all<float, 8>(x).sum));
    }
  }
}

TEST_CASE("sums of exp: a value that outweighs all others counts exactly 1") {
  for (const int place : {0, 5, length - 1}) {
    std::vector<double> x = make([](int i) { return 1234.5 + 0.01 * (i % 50); });
    x[static_cast<std::size_t>(place)] = 1334.25;
    const auto s = add_all<float, 8>(x);
    CHECK(s.base == 1334.25f);
    CHECK(s.sum == 1.0f);
  }
}

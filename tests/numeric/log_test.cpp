// SPDX-License-Identifier: MIT
// The logarithm against the host library's in a wider type, its special values, and the same bits on both back ends.
#include "rowfold/numeric/log.cuh"

#include "numeric/function_sweep.hpp"
#include "support/subnormals.hpp"

using namespace rowfold_test;

namespace {

struct logarithm {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return rowfold::math::log(x);
  }
};

}  // namespace

TEST_CASE("log of a float is within 1 ulp, the same bits on both back ends") {
  const auto found = sweep(
      logarithm{}, [](double x) { return std::log(x); }, own_scale,
      [](float x) { return x > 0 && !(rowfold_test::subnormals_are_zero && x < 0x1p-126f); });
  WARN("log: at most " << found.worst << " ulp, at " << found.at);
  CHECK(found.worst > 0.5);  // exactly rounded it is not
  CHECK(found.worst < 1.0);
  if (!rowfold_test::subnormals_are_zero) CHECK(found.checksum == 0x7fbae013de29bb42u);
}

TEST_CASE("log of a double is within 1 ulp") {
  std::mt19937_64 engine(seed());
  std::uniform_real_distribution<double> exponent(-1074, 1024), near_one(0.5, 2);
  std::vector<double> inputs = {0x1p-1074, 0x1p-1022, std::numeric_limits<double>::max(), 1 + 0x1p-52, 1 - 0x1p-53};
  for (int i = 0; i < 20000; ++i) {
    inputs.push_back(std::exp2(exponent(engine)));
    inputs.push_back(near_one(engine));
  }
  inputs.erase(std::remove(inputs.begin(), inputs.end(), 0.0), inputs.end());
  const auto found = sweep_double(
      logarithm{}, [](long double x) { return std::log(x); }, own_scale, inputs);
  WARN("log in double: at most " << found.worst << " ulp, at " << found.at);
  CHECK(found.worst > 0.5);
  CHECK(found.worst < 1.0);
}

TEMPLATE_TEST_CASE("special arguments of log", "", float, double) {
  using T = TestType;
  const T infinity = std::numeric_limits<T>::infinity();
  const auto y = map_on_device<T>(
      logarithm{}, std::vector<T>{T(1), T(0), -T(0), infinity, T(-1), -infinity, std::numeric_limits<T>::quiet_NaN()});
  CHECK((y[0] == T(0) && !std::signbit(y[0])));
  CHECK(y[1] == -infinity);
  CHECK(y[2] == -infinity);
  CHECK(y[3] == infinity);
  CHECK(std::isnan(y[4]));
  CHECK(std::isnan(y[5]));
  CHECK(std::isnan(y[6]));
}

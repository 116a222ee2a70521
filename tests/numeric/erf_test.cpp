// SPDX-License-Identifier: MIT
// erf, sigmoid and tanh against the host library in a wider type, their special values, and the same bits on both back
// ends; and the reciprocal that they share.
#include "rowfold/numeric/erf.cuh"

#include "numeric/function_sweep.hpp"

using namespace rowfold_test;

namespace {

struct error_function {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return rowfold::math::erf(x);
  }
};
struct logistic_function {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return rowfold::math::sigmoid(x);
  }
};
struct hyperbolic_tangent {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return rowfold::math::tanh(x);
  }
};
struct reciprocal {
  ROWFOLD_DEVICE float operator()(float x) const { return rowfold::math::reciprocal_of_normal(x); }
};

template <class T>
T exact_sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

TEST_CASE("erf of a float is within 1.7 ulp, the same bits on both back ends") {
  const auto found = sweep(
      error_function{}, [](double x) { return std::erf(x); }, own_scale, take_all);
  WARN("erf: at most " << found.worst << " ulp, at " << found.at);
  CHECK(found.worst > 0.5);
  CHECK(found.worst < 1.7);
  CHECK(found.checksum == 0x668472c94d54564bu);
}

TEST_CASE("sigmoid of a float is within 2.6 ulp, and 0 below 2^-126, the same bits on both back ends") {
  const auto found = sweep(
      logistic_function{}, [](double x) { return exact_sigmoid(x); },
      [](double, double exact) {
        return std::max(exact, 0x1p-103);
      },  // results below 2^-126 are 0: their ulp is 2^-149
      take_all);
  WARN("sigmoid: at most " << found.worst << " ulp, at " << found.at);
  CHECK(found.worst > 0.5);
  CHECK(found.worst < 2.6);
  CHECK(found.checksum == 0x206ecea64f99abb1u);
  // Down to there the error is relative to the result.
  const auto lower = sweep(
      logistic_function{}, [](double x) { return exact_sigmoid(x); }, own_scale,
      [](float x) { return x > -87.33f && x < 0; });
  CHECK(lower.worst < 2.6);
}

TEST_CASE("tanh of a float is within 3 ulp and never above 1, the same bits on both back ends") {
  const auto found = sweep(
      hyperbolic_tangent{}, [](double x) { return std::tanh(x); }, own_scale, take_all);
  WARN("tanh: at most " << found.worst << " ulp, at " << found.at);
  CHECK(found.worst > 0.5);
  CHECK(found.worst < 3.0);
  CHECK(found.checksum == 0x60305c7adbf2ec3fu);
  float largest = 0;
  for (const float y : map_on_device<float>(hyperbolic_tangent{}, float_sweep()))
    largest = std::max(largest, std::abs(y));
  CHECK(largest == 1.0f);
}

TEST_CASE("erf, sigmoid and tanh of a double") {
  const auto erf = sweep_double(
      error_function{}, [](long double x) { return std::erf(x); }, own_scale, double_sample(8));
  const auto sigmoid = sweep_double(
      logistic_function{}, [](long double x) { return exact_sigmoid(x); }, own_scale, double_sample(700));
  const auto tanh = sweep_double(
      hyperbolic_tangent{}, [](long double x) { return std::tanh(x); }, own_scale, double_sample(25));
  WARN("in double: erf at most " << erf.worst << " ulp, sigmoid " << sigmoid.worst << ", tanh " << tanh.worst);
  CHECK(erf.worst < 2.5);
  CHECK(sigmoid.worst < 2.5);
  CHECK(tanh.worst < 3);
  CHECK(std::min({erf.worst, sigmoid.worst, tanh.worst}) > 0.5);
}

TEMPLATE_TEST_CASE("special arguments of erf, sigmoid and tanh", "", float, double) {
  using T = TestType;
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> x = {T(0), infinity, -infinity, T(1e30), T(-1e30), std::numeric_limits<T>::quiet_NaN()};
  CHECK(map_on_device<T>(error_function{}, std::vector<T>(x.begin(), x.end() - 1)) == std::vector<T>{0, 1, -1, 1, -1});
  CHECK(map_on_device<T>(hyperbolic_tangent{}, std::vector<T>(x.begin(), x.end() - 1)) ==
        std::vector<T>{0, 1, -1, 1, -1});
  CHECK(map_on_device<T>(logistic_function{}, std::vector<T>(x.begin(), x.end() - 1)) ==
        std::vector<T>{T(0.5), 1, 0, 1, 0});
  CHECK(std::isnan(map_on_device<T>(error_function{}, x).back()));
  CHECK(std::isnan(map_on_device<T>(logistic_function{}, x).back()));
  CHECK(std::isnan(map_on_device<T>(hyperbolic_tangent{}, x).back()));
  // The sign of zero, and subnormal numbers.
  const auto small = map_on_device<T>(hyperbolic_tangent{}, std::vector<T>{-T(0), std::numeric_limits<T>::min()});
  CHECK(std::signbit(small[0]));
  CHECK(small[1] == std::numeric_limits<T>::min());
}

TEST_CASE("the reciprocal of a normal number is correctly rounded") {
  std::vector<float> inputs;
  // Every significand on the GPU, where it is made of an approximation; on the CPU it is a division.
  for (unsigned bits = bits_of_float(1.0f); bits <= bits_of_float(2.0f); bits += on_cpu ? 61 : 1) {
    inputs.push_back(float_of_bits(bits));
  }
  for (const float x : float_sweep()) {
    if (std::abs(x) >= 0x1p-126f && std::abs(x) <= 0x1p126f) inputs.push_back(x);
  }
  const auto outputs = map_on_device<float>(reciprocal{}, inputs);
  int wrong = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) wrong += outputs[i] != 1.0f / inputs[i] ? 1 : 0;
  CHECK(wrong == 0);
  const auto large =
      map_on_device<float>(reciprocal{}, std::vector<float>{0x1.00001p126f, 0x1p127f, 3.4e38f, -0x1p127f});
  CHECK(large == std::vector<float>{0, 0, 0, 0});
  CHECK(std::isnan(map_on_device<float>(reciprocal{}, std::vector<float>{std::nanf("")})[0]));
}

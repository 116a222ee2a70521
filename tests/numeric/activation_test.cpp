// SPDX-License-Identifier: MIT
// Activations against their definitions in a wider type: within 4 ulp of max(|y|, |x| 2^-10) for every kind of
// argument, the same bits on both back ends, and the limits at infinity.
#include "rowfold/numeric/activation.cuh"

#include <string>

#include "numeric/function_sweep.hpp"
#include "support/accuracy_table.hpp"

using namespace rowfold_test;

namespace {

// The definitions. Each is written so that nothing cancels in it.
template <class T>
T exact(rowfold::identity, T x) {
  return x;
}
template <class T>
T exact(rowfold::relu, T x) {
  return std::max(x, T(0));
}
template <class T>
T exact(rowfold::gelu, T x) {
  return x * std::erfc(-x / std::sqrt(T(2))) / 2;
}
template <class T>
T exact(rowfold::gelu_tanh, T x) {
  const T pi = std::acos(T(-1));
  return x / (1 + std::exp(-2 * std::sqrt(2 / pi) * (x + T(0.044715L) * x * x * x)));
}
template <class T>
T exact(rowfold::silu, T x) {
  return x / (1 + std::exp(-x));
}
template <class T>
T exact(rowfold::quick_gelu, T x) {
  return x / (1 + std::exp(T(-1.702L) * x));
}
template <class T>
T exact(rowfold::sigmoid, T x) {
  return 1 / (1 + std::exp(-x));
}
template <class T>
T exact(rowfold::tanh, T x) {
  return std::tanh(x);
}

// What the hardware raises 2 to, beside which the approximations' error is stated.
double exponent(rowfold::gelu, double x) { return x * x * (1.4426950408889634 / 2); }
double exponent(rowfold::tanh, double) { return 0; }  // what rounding it adds is in what is stated
double exponent(rowfold::silu, double x) { return x * 1.4426950408889634; }
double exponent(rowfold::sigmoid, double x) { return x * 1.4426950408889634; }
double exponent(rowfold::quick_gelu, double x) { return 1.702 * x * 1.4426950408889634; }
double exponent(rowfold::gelu_tanh, double x) {
  return 2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x) * 1.4426950408889634;
}

const char* name(rowfold::identity) { return "identity"; }
const char* name(rowfold::relu) { return "relu"; }
const char* name(rowfold::gelu) { return "gelu"; }
const char* name(rowfold::gelu_tanh) { return "gelu_tanh"; }
const char* name(rowfold::silu) { return "silu"; }
const char* name(rowfold::quick_gelu) { return "quick_gelu"; }
const char* name(rowfold::sigmoid) { return "sigmoid"; }
const char* name(rowfold::tanh) { return "tanh"; }

double activation_scale(double x, double y) { return std::max(std::abs(y), std::abs(x) * 0x1p-10); }

// The table of the op, which applies these functions and rounds once (tests/activation). Its rows come from several
// cases.
accuracy_table& table() {
  static accuracy_table errors("activation",
                               "every 16411th of all finite floats, tiny, huge and denormal ones included, every 397th "
                               "where the functions bend, "
                               "infinities and NaN; random doubles (no element depends on another: one width)",
                               "ulp at max(|y|, |x| 2^-10), before the one rounding to y's type. Bound: 4");
  return errors;
}

template <class Activation, int Hundredths>
struct claim {
  using activation = Activation;
  static constexpr double ulp =
      Hundredths / 100.0;  // what it keeps, as found over every 13th of all floats (GELU: over all)
  static constexpr bool exact = Hundredths == 0;
};

}  // namespace

TEMPLATE_TEST_CASE("activations of a float keep within 4 ulp", "", (claim<rowfold::identity, 0>),
                   (claim<rowfold::relu, 0>), (claim<rowfold::gelu, 360>), (claim<rowfold::gelu_tanh, 280>),
                   (claim<rowfold::silu, 260>), (claim<rowfold::quick_gelu, 280>), (claim<rowfold::sigmoid, 260>),
                   (claim<rowfold::tanh, 300>)) {
  using activation = typename TestType::activation;
  const auto found = sweep(
      activation{}, [](double x) { return exact(activation{}, x); }, activation_scale, take_all);
  WARN("at most " << found.worst << " ulp, at " << found.at);
  CHECK(found.worst <= TestType::ulp);
  CHECK(TestType::ulp <= 4);
  if (!TestType::exact) CHECK(found.worst > 0.5);
  table().add(std::string(name(activation{})) + ", float", 1 << 18, found.worst);
  table().write();
}

TEMPLATE_TEST_CASE("activations of a double keep within 4 ulp", "", rowfold::relu, rowfold::gelu, rowfold::gelu_tanh,
                   rowfold::silu, rowfold::quick_gelu, rowfold::sigmoid, rowfold::tanh) {
  const auto reference = [](long double x) { return exact(TestType{}, x); };
  double worst = 0;
  for (const double limit : {4.0, 12.0, 60.0, 800.0}) {
    worst = std::max(worst, sweep_double(TestType{}, reference, activation_scale, double_sample(limit)).worst);
  }
  WARN("at most " << worst << " ulp");
  CHECK(worst <= 4);
  table().add(std::string(name(TestType{})) + ", double", 1 << 18, worst);
  table().write();
}

TEMPLATE_TEST_CASE("the approximations of activations keep their stated error, and the limits", "", rowfold::gelu,
                   rowfold::gelu_tanh, rowfold::silu, rowfold::quick_gelu, rowfold::sigmoid, rowfold::tanh) {
  using approximation = rowfold::approximate_activation<TestType>;
  // 2^-21 and |w| 2^-22, that is 2^-21 (1 + |w| / 2), GELU 2^-20 and |w| 2^-22; an ulp is at least 2^-24 of what it is
  // taken at.
  const double ulps = rowfold::is_same<TestType, rowfold::gelu> ? 16 : 8;
  const auto scale = [&](double x, double y) {
    return activation_scale(x, y) * (1 + std::min(std::abs(exponent(TestType{}, x)), 130.0) * 4 / ulps);
  };
  const auto found = sweep(
      approximation{}, [](double x) { return exact(TestType{}, x); }, scale, take_all);
  WARN("at most " << found.worst << " ulp, at " << found.at);
  CHECK(found.worst <= ulps);
  CHECK(found.worst > 0.1);  // else nothing was measured
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {infinity, -infinity, 3e38f, -3e38f, 0.0f};
  CHECK(map_on_device<float>(approximation{}, x) == map_on_device<float>(TestType{}, x));
  CHECK(std::isnan(map_on_device<float>(approximation{}, std::vector<float>{std::nanf("")})[0]));
}

namespace {
struct twice_silu : rowfold::silu {  // inherits an approximation of another function
  ROWFOLD_DEVICE float operator()(float x) const { return 2 * rowfold::silu::operator()(x); }
};
struct with_option {
  bool approximate;
  ROWFOLD_DEVICE float operator()(float x) const { return x; }
};
}  // namespace

TEST_CASE("ops of 16 bits compute with the approximation of an activation, where it has one") {
  using rowfold::is_same;
  using narrow = decltype(rowfold::activation_for<__half, __nv_bfloat16>(rowfold::silu{}));
  using to_codes = decltype(rowfold::activation_for<__half, rowfold::absent>(rowfold::silu{}));
  using from_float = decltype(rowfold::activation_for<float, __half>(rowfold::silu{}));
  using to_float = decltype(rowfold::activation_for<__half, float>(rowfold::silu{}));
  CHECK(is_same<decltype(rowfold::activation_for<__half, __half>(twice_silu{})), twice_silu>);
  CHECK(is_same<decltype(rowfold::activation_for<__half, __half>(with_option{})), with_option>);
  const std::vector<float> one = {1.0f};
  CHECK(map_on_device<float>(twice_silu{}, one)[0] == 2 * map_on_device<float>(rowfold::silu{}, one)[0]);
  CHECK(map_on_device<float>(with_option{true}, one) == one);
  using has_none = decltype(rowfold::activation_for<__half, __half>(rowfold::relu{}));
  CHECK(is_same<narrow, rowfold::approximate_activation<rowfold::silu>>);
  CHECK(is_same<to_codes, rowfold::approximate_activation<rowfold::silu>>);
  CHECK(is_same<from_float, rowfold::silu>);
  CHECK(is_same<to_float, rowfold::silu>);
  CHECK(is_same<has_none, rowfold::relu>);
}

TEST_CASE("activations have the same bits on both back ends") {
  const auto any = [](double) { return 0.0; };
  const auto one = [](double, double) { return 1.0; };
  CHECK(sweep(rowfold::gelu{}, any, one, take_all).checksum == 0x7c0e5d693f2be945u);
  CHECK(sweep(rowfold::gelu_tanh{}, any, one, take_all).checksum == 0x785c6256dfbdf223u);
  CHECK(sweep(rowfold::silu{}, any, one, take_all).checksum == 0x2f447e308769d14fu);
  CHECK(sweep(rowfold::quick_gelu{}, any, one, take_all).checksum == 0xb33789305028b75cu);
}

TEMPLATE_TEST_CASE("activations at infinity have their limits, and NaN for NaN", "", float, double) {
  using T = TestType;
  const T infinity = std::numeric_limits<T>::infinity();
  const T largest = std::numeric_limits<T>::max();
  const std::vector<T> x = {infinity, -infinity, largest, -largest, T(0)};
  const std::vector<T> like_relu = {infinity, 0, largest, 0, 0};
  CHECK(map_on_device<T>(rowfold::identity{}, x) == x);
  CHECK(map_on_device<T>(rowfold::relu{}, x) == like_relu);
  CHECK(map_on_device<T>(rowfold::gelu{}, x) == like_relu);
  CHECK(map_on_device<T>(rowfold::gelu_tanh{}, x) == like_relu);
  CHECK(map_on_device<T>(rowfold::silu{}, x) == like_relu);
  CHECK(map_on_device<T>(rowfold::quick_gelu{}, x) == like_relu);
  CHECK(map_on_device<T>(rowfold::sigmoid{}, x) == std::vector<T>{1, 0, 1, 0, T(0.5)});
  CHECK(map_on_device<T>(rowfold::tanh{}, x) == std::vector<T>{1, -1, 1, -1, 0});
  const std::vector<T> nan = {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()};
  const auto all_nan = [](const std::vector<T>& y) { return std::isnan(y[0]) && std::isnan(y[1]); };
  CHECK(all_nan(map_on_device<T>(rowfold::relu{}, nan)));
  CHECK(all_nan(map_on_device<T>(rowfold::gelu{}, nan)));
  CHECK(all_nan(map_on_device<T>(rowfold::gelu_tanh{}, nan)));
  CHECK(all_nan(map_on_device<T>(rowfold::silu{}, nan)));
  CHECK(all_nan(map_on_device<T>(rowfold::quick_gelu{}, nan)));
  CHECK(all_nan(map_on_device<T>(rowfold::sigmoid{}, nan)));
  CHECK(all_nan(map_on_device<T>(rowfold::tanh{}, nan)));
}

namespace {

struct pair_of_floats {
  float a, b;
};
template <class Gate>
struct apply_gate {
  ROWFOLD_DEVICE float operator()(const pair_of_floats& in) const { return Gate{}(in.a, in.b); }
};
template <class Activation, class Gate>
double worst_gate() {
  std::mt19937_64 engine(seed());
  std::normal_distribution<float> normal(0, 2);
  std::vector<pair_of_floats> inputs;
  for (int i = 0; i < 100000; ++i) inputs.push_back({normal(engine), normal(engine)});
  const auto outputs = map_on_device<float>(apply_gate<Gate>{}, inputs);
  double worst = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double a = double{inputs[i].a}, b = double{inputs[i].b};
    const double y = exact(Activation{}, a) * b;
    worst = std::max(worst, ulp_error<float>(double{outputs[i]}, y, activation_scale(a * b, y)));
  }
  return worst;
}

}  // namespace

TEST_CASE("gates multiply the activation of the first by the second") {
  const double swiglu = worst_gate<rowfold::silu, rowfold::gate<rowfold::silu>>();
  const double geglu = worst_gate<rowfold::gelu, rowfold::gate<rowfold::gelu>>();
  const double reglu = worst_gate<rowfold::relu, rowfold::gate<rowfold::relu>>();
  WARN("SwiGLU at most " << swiglu << " ulp, GeGLU " << geglu << ", ReGLU " << reglu);
  CHECK(swiglu <= 4);
  CHECK(geglu <= 4);
  CHECK(reglu <= 0.5);
  CHECK(std::min(swiglu, geglu) > 0.5);
}

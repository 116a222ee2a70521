// SPDX-License-Identifier: MIT
// Arithmetic with fixed rounding: float against double, in which a sum, a product, a quotient or a square root of
// floats rounds back to the right float (double has more than twice float's digits, plus two); special values; and that
// no multiply and add melt into one. The GPU suite runs this also as built with --use_fast_math.
#include "rowfold/numeric/math.cuh"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/check.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::map_on_device;
namespace math = rowfold::math;

namespace {

template <class T>
struct operands {
  T a, b;
};

unsigned bits_of(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
unsigned long long bits_of(double x) {
  unsigned long long bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || bits_of(a) == bits_of(b);
}

// Random significands, with exponents close enough to meet, and every pair of special values.
template <class T>
std::vector<operands<T>> random_operands() {
  std::vector<operands<T>> result;
  std::mt19937_64 engine(rowfold_test::seed() + 17);
  std::uniform_real_distribution<double> significand(1, 2);
  std::uniform_int_distribution<int> exponent(-30, 30);
  const auto draw = [&] {
    const double sign = engine() % 2 == 0 ? 1 : -1;
    return static_cast<T>(sign * std::ldexp(significand(engine), exponent(engine)));
  };
  for (int i = 0; i < 20000; ++i) {
    const T a = draw();
    result.push_back({a, i % 4 == 0 ? static_cast<T>(a * static_cast<T>(-1.0009765625)) : draw()});
  }
  const T infinity = std::numeric_limits<T>::infinity();
  const T special[] = {T(0),
                       -T(0),
                       T(1),
                       T(-1),
                       infinity,
                       -infinity,
                       std::numeric_limits<T>::quiet_NaN(),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::min()};
  for (const T a : special) {
    for (const T b : special) result.push_back({a, b});
  }
  return result;
}

template <class T, class Function, class Reference>
void check_against(Function function, Reference reference) {
  const auto inputs = random_operands<T>();
  const auto outputs = map_on_device<T>(function, inputs);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const T expected = reference(inputs[i].a, inputs[i].b);
    // A NaN is the canonical one in float, on both back ends.
    const bool canonical = !std::isnan(outputs[i]) || sizeof(T) == 8 || bits_of(outputs[i]) == 0x7fffffffu;
    if (same(outputs[i], expected) && canonical) continue;
    const bool subnormal = expected != T(0) && std::abs(expected) < std::numeric_limits<T>::min();
    if (subnormal && outputs[i] == T(0)) continue;  // -ftz=true
    if (wrong++ == 0) UNSCOPED_INFO("first at " << inputs[i].a << ", " << inputs[i].b << ": " << outputs[i]);
  }
  CHECK(wrong == 0);
}

struct add {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::add_rn(o.a, o.b);
  }
};
struct sub {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::sub_rn(o.a, o.b);
  }
};
struct mul {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::mul_rn(o.a, o.b);
  }
};
struct divide {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::div_rn(o.a, o.b);
  }
};
struct square_root {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::sqrt_rn(o.a);
  }
};
// What a fused multiply-add knows and two roundings lose: the error of the product a * b.
struct product_error {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::fma_rn(o.a, o.b, -math::mul_rn(o.a, o.b));
  }
};
// What two roundings give and a contraction would not: exactly 0 for finite values.
struct uncontracted {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::sub_rn(math::mul_rn(o.a, o.b), math::mul_rn(o.a, o.b));
  }
};

}  // namespace

TEST_CASE("float operations round once, to nearest even") {
  SECTION("add") {
    check_against<float>(add{}, [](double a, double b) { return static_cast<float>(a + b); });
  }
  SECTION("sub") {
    check_against<float>(sub{}, [](double a, double b) { return static_cast<float>(a - b); });
  }
  SECTION("mul") {
    check_against<float>(mul{}, [](double a, double b) { return static_cast<float>(a * b); });
  }
  SECTION("div") {
    check_against<float>(divide{}, [](double a, double b) { return static_cast<float>(a / b); });
  }
  SECTION("sqrt") {
    check_against<float>(square_root{}, [](double a, double) { return static_cast<float>(std::sqrt(a)); });
  }
  SECTION("fma") {
    check_against<float>(product_error{}, [](double a, double b) {
      // Both products are exact in double.
      return static_cast<float>(a * b - static_cast<double>(static_cast<float>(a * b)));
    });
  }
  SECTION("no contraction") {
    check_against<float>(uncontracted{}, [](double a, double b) {
      const float product = static_cast<float>(a * b);
      return product - product;
    });
  }
}

TEST_CASE("double operations are those of IEEE 754") {
  SECTION("add") {
    check_against<double>(add{}, [](double a, double b) { return a + b; });
  }
  SECTION("sub") {
    check_against<double>(sub{}, [](double a, double b) { return a - b; });
  }
  SECTION("mul") {
    check_against<double>(mul{}, [](double a, double b) { return a * b; });
  }
  SECTION("div") {
    check_against<double>(divide{}, [](double a, double b) { return a / b; });
  }
  SECTION("sqrt") {
    check_against<double>(square_root{}, [](double a, double) { return std::sqrt(a); });
  }
  SECTION("fma") {
    check_against<double>(product_error{}, [](double a, double b) { return std::fma(a, b, -(a * b)); });
  }
}

namespace {
struct larger {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::maximum(o.a, o.b);
  }
};
struct smaller {
  template <class T>
  ROWFOLD_DEVICE T operator()(operands<T> o) const {
    return math::minimum(o.a, o.b);
  }
};
template <class T>
T expected_extremum(T a, T b, bool largest) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) == largest ? b : a;
  return (a > b) == largest ? a : b;
}
}  // namespace

TEMPLATE_TEST_CASE("maximum and minimum pass NaN on and put -0 below +0", "", float, double) {
  using T = TestType;
  check_against<T>(larger{}, [](T a, T b) { return expected_extremum(a, b, true); });
  check_against<T>(smaller{}, [](T a, T b) { return expected_extremum(a, b, false); });
}

namespace {
struct classify {
  // 1: NaN, 2: finite; 0: infinite.
  template <class T>
  ROWFOLD_DEVICE int operator()(T x) const {
    return (math::is_nan(x) ? 1 : 0) + (math::is_finite(x) ? 2 : 0);
  }
};
struct absolute_value {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return math::absolute(x);
  }
};
}  // namespace

TEMPLATE_TEST_CASE("NaN, infinity and magnitude are read from the bits", "", float, double) {
  using T = TestType;
  using limit = std::numeric_limits<T>;
  const std::vector<T> inputs = {T(0),
                                 -T(0),
                                 limit::max(),
                                 -limit::denorm_min(),
                                 limit::infinity(),
                                 -limit::infinity(),
                                 limit::quiet_NaN(),
                                 limit::signaling_NaN(),
                                 -limit::quiet_NaN()};
  CHECK(map_on_device<int>(classify{}, inputs) == std::vector<int>{2, 2, 2, 2, 0, 0, 1, 1, 1});
  const auto magnitudes = map_on_device<T>(absolute_value{}, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    CHECK(same(magnitudes[i], std::abs(inputs[i])));
    CHECK_FALSE(std::signbit(magnitudes[i]));
  }
}

// SPDX-License-Identifier: MIT
// Activation functions as functors over float and double: y = gelu{}(x). Half types are computed in float. The same
// bits on both back ends and under every compile flag (-ftz=true turns subnormal numbers into zero), within 4 ulp of
// max(|y|, |x| 2^-10): tests/numeric/activation_test.cpp. At +-inf they have their limits, so gelu(-inf) = 0; a NaN
// gives a NaN. Any thread may call them on its own value.
//   y = rowfold::silu{}(gate) * up;                     // SwiGLU
//
// Those with an exponential also have float approximate(float x), with the hardware's 2^x and 1 / x in place of
// polynomials: relative error 2^-21 (GELU by erf: 2^-19.9 of max(|y|, |x| 2^-10)) and what rounding its exponent w
// adds, at most |w| 2^-22; the bits are the GPU's own. Ops whose inputs and results have 16 bits or fewer take it
// (activation_for): exact, it would take longer than memory does.
//
// x times a distribution function F with F(x) + F(-x) = 1 (the normal one in GELU, the logistic one in SiLU) is
// computed as max(x, 0) - |x| F(-|x|): only the tail F(-|x|) <= 1/2 is needed, so that nothing cancels on the negative
// side.
#pragma once

#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/erf.cuh"
#include "rowfold/numeric/logistic.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// y = x.
struct identity {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return x;
  }
};

// y = max(x, 0).
struct relu {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return math::maximum(x, T(0));
  }
};

namespace detail {

// max(x, 0) - t * tail, where t is |x|, limited to where the tail ends.
template <class T>
ROWFOLD_DEVICE T subtract_tail(T x, T t, T tail) {
  return math::fma_rn(-t, tail, math::maximum(x, T(0)));
}

}  // namespace detail

// y = x Phi(x) = x / 2 (1 + erf(x / sqrt 2)), Phi being the normal distribution function (Hendrycks and Gimpel 2016).
struct gelu {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    const T t = math::limited_magnitude(x, math::detail::upper_tail_end<T>);
    return detail::subtract_tail(x, t, math::detail::upper_tail(t));
  }
  ROWFOLD_DEVICE float approximate(float x) const {
    const float t = math::limited_magnitude(x, 18.0f);  // where e^(-t^2 / 2) is 0, and the tail
    return detail::subtract_tail(x, t, math::fast::upper_tail(t));
  }
};

// y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), the approximation of GELU from the same paper, for models that
// are trained with it. It is x sigmoid(w) with w = 2 sqrt(2 / pi) (x + 0.044715 x^3).
struct gelu_tanh {
  // The two coefficients of w log2 e; at the end, 2^w is above 2^126.
  static constexpr float power_linear = 0x1.26aec2p+1f, power_cubic = 0x1.a5a7dp-4f, power_end = 10.02f;

  ROWFOLD_DEVICE float operator()(float x) const {
    const float t = math::limited_magnitude(x, power_end);
    const float square = math::mul_rn(t, t);
    const float factor = math::fma_rn(power_cubic, square, power_linear);  // w log2 e = t * factor
    // What the roundings of the square and of the factor left out.
    const float square_low = math::fma_rn(t, t, -square);
    const float rounding = math::fma_rn(power_cubic, square, math::sub_rn(power_linear, factor));
    const float factor_low = math::fma_rn(power_cubic, square_low, rounding);
    return detail::subtract_tail(x, t, math::detail::logistic(math::detail::exp2_of_product(t, factor, factor_low)));
  }
  ROWFOLD_DEVICE float approximate(float x) const {
    const float t = math::limited_magnitude(x, 10.1f);  // where 2^w is infinite, and the tail 0
    const float factor = math::fma_rn(power_cubic, math::mul_rn(t, t), power_linear);
    return detail::subtract_tail(x, t, math::fast::logistic_of_power(math::mul_rn(t, factor)));
  }

  ROWFOLD_DEVICE double operator()(double x) const {
    constexpr double linear = 0x1.9884533d43651p+0, linear_low = -0x1.cbc0d30ebfd15p-54;
    constexpr double cubic = 0x1.2444f2a4d8b4bp-4, cubic_low = -0x1.6c843a29d1c70p-61;
    const double t = math::limited_magnitude(x, 30.0);  // w is above 745 there
    const double square = math::mul_rn(t, t);
    const double square_low = math::fma_rn(t, t, -square);
    const double factor = math::fma_rn(cubic, square, linear);
    const double rounding = math::fma_rn(cubic, square, math::sub_rn(linear, factor));
    const double constants = math::fma_rn(cubic_low, square, linear_low);
    const double factor_low = math::add_rn(math::fma_rn(cubic, square_low, rounding), constants);
    const double w = math::mul_rn(t, factor);
    const double w_low = math::fma_rn(t, factor_low, math::fma_rn(t, factor, -w));
    return detail::subtract_tail(x, t, math::detail::logistic(w, w_low));
  }
};

// y = x sigmoid(x), also called swish.
struct silu {
  ROWFOLD_DEVICE float operator()(float x) const {
    const float t = math::limited_magnitude(x, 88.0f);  // e^88 is above 2^126
    return detail::subtract_tail(
        x, t, math::detail::logistic(math::detail::exp2_of_product(t, math::detail::log2_e, math::detail::log2_e_low)));
  }
  ROWFOLD_DEVICE float approximate(float x) const {
    const float t = math::limited_magnitude(x, 90.0f);  // where e^t is infinite, and the tail 0
    return detail::subtract_tail(x, t, math::fast::logistic_of_power(math::mul_rn(t, math::detail::log2_e)));
  }
  ROWFOLD_DEVICE double operator()(double x) const {
    const double t = math::limited_magnitude(x, 746.0);
    return detail::subtract_tail(x, t, math::detail::logistic(t, 0.0));
  }
};

// y = x sigmoid(1.702 x).
struct quick_gelu {
  ROWFOLD_DEVICE float operator()(float x) const {
    const float t = math::limited_magnitude(x, 51.7f);  // 1.702 * 51.7 is just below 88
    // 1.702 log2 e in two parts.
    return detail::subtract_tail(
        x, t, math::detail::logistic(math::detail::exp2_of_product(t, 0x1.3a4cbep+1f, -0x1.c08ecap-26f)));
  }
  ROWFOLD_DEVICE float approximate(float x) const {
    const float t = math::limited_magnitude(x, 53.0f);  // as in silu
    return detail::subtract_tail(x, t, math::fast::logistic_of_power(math::mul_rn(t, 0x1.3a4cbep+1f)));
  }
  ROWFOLD_DEVICE double operator()(double x) const {
    constexpr double factor = 0x1.b3b645a1cac08p+0, factor_low = 0x1.89374bc6a7efap-55;
    const double t = math::limited_magnitude(x, 440.0);
    const double w = math::mul_rn(t, factor);
    const double w_low = math::fma_rn(t, factor_low, math::fma_rn(t, factor, -w));
    return detail::subtract_tail(x, t, math::detail::logistic(w, w_low));
  }
};

// y = 1 / (1 + e^-x).
struct sigmoid {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return math::sigmoid(x);
  }
  ROWFOLD_DEVICE float approximate(float x) const {
    return math::fast::logistic_of_power(math::mul_rn(-x, math::detail::log2_e));
  }
};

// y = tanh(x).
struct tanh {
  template <class T>
  ROWFOLD_DEVICE T operator()(T x) const {
    return math::tanh(x);
  }
  ROWFOLD_DEVICE float approximate(float x) const { return math::fast::tanh(x); }
};

// An activation's approximation as a functor.
template <class Activation>
struct approximate_activation {
  Activation activation;
  ROWFOLD_DEVICE float operator()(float x) const { return activation.approximate(x); }
};

namespace detail {
// Whether Activation itself has an approximation: one that is inherited is that of another function.
template <class Activation, class = void>
inline constexpr bool has_approximation = false;
template <class Activation>
inline constexpr bool has_approximation<
    Activation, enable_if_t<is_same<decltype(&Activation::approximate), float (Activation::*)(float) const>>> = true;
}  // namespace detail

// What an op from X to Y computes an activation with: the approximation of it, if it has one, where both have at most
// 16 bits; else the activation itself.
template <class X, class Y, class Activation>
ROWFOLD_HOST_DEVICE constexpr auto activation_for(const Activation& activation) {
  if constexpr (sizeof(X) <= 2 && sizeof(Y) <= 2 && detail::has_approximation<Activation>) {
    return approximate_activation<Activation>{activation};
  } else {
    return activation;
  }
}

// The gated units of Shazeer ("GLU variants improve transformer", 2020): y = Activation(a) * b. The product is rounded
// once more than the activation.
template <class Activation>
struct gate {
  template <class T>
  ROWFOLD_DEVICE T operator()(T a, T b) const {
    return math::mul_rn(Activation{}(a), b);
  }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

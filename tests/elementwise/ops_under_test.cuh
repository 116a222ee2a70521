// SPDX-License-Identifier: MIT
// The ops of the elementwise tests: 1 to 4 inputs, 1 or 2 outputs, elements of 2, 4 and 8 bytes in one op. Their
// functions are exact on small whole numbers, so that every element's right bits are known.
#pragma once

#include "elementwise/run_elementwise.cuh"

namespace rowfold_test {

struct add_function {
  ROWFOLD_DEVICE float operator()(float a, float b) const { return a + b; }
};

struct add_float {
  using in = types<float, float>;
  using out = types<float>;
  using function = add_function;
  static std::vector<double> expected(const std::vector<double>& x) { return {x[0] + x[1]}; }
};

struct add_bfloat16 : add_float {
  using in = types<__nv_bfloat16, __nv_bfloat16>;
  using out = types<__nv_bfloat16>;
};

// Three types in one op.
struct subtract_mixed {
  using in = types<__half, float>;
  using out = types<__nv_bfloat16>;
  struct function {
    ROWFOLD_DEVICE float operator()(float a, float b) const { return a - b; }
  };
  static std::vector<double> expected(const std::vector<double>& x) { return {x[0] - x[1]}; }
};

// A double among the inputs: all of them arrive as double.
struct multiply_double {
  using in = types<__nv_bfloat16, double>;
  using out = types<double>;
  struct function {
    ROWFOLD_DEVICE double operator()(double a, double b) const { return a * b; }
  };
  static std::vector<double> expected(const std::vector<double>& x) { return {x[0] * x[1]}; }
};

// One input, and a function with a member.
struct scale_to_float {
  using in = types<__nv_bfloat16>;
  using out = types<float>;
  struct function {
    float factor = -3.0f;
    ROWFOLD_DEVICE float operator()(float a) const { return factor * a; }
  };
  static std::vector<double> expected(const std::vector<double>& x) { return {-3 * x[0]}; }
};

struct three_inputs {
  using in = types<float, __half, __nv_bfloat16>;
  using out = types<__half>;
  struct function {
    ROWFOLD_DEVICE float operator()(float a, float b, float c) const { return (a + b) - c; }
  };
  static std::vector<double> expected(const std::vector<double>& x) { return {x[0] + x[1] - x[2]}; }
};

struct four_inputs_two_outputs {
  using in = types<__half, __half, float, __half>;
  using out = types<__half, float>;
  struct function {
    ROWFOLD_DEVICE rowfold::vec<float, 2> operator()(float a, float b, float c, float d) const {
      return {{a + b, c - d}};
    }
  };
  static std::vector<double> expected(const std::vector<double>& x) { return {x[0] + x[1], x[2] - x[3]}; }
};

// Two tensors in place, as a rotation of pairs is.
struct sum_and_difference {
  using in = types<float, float>;
  using out = types<float, float>;
  struct function {
    ROWFOLD_DEVICE rowfold::vec<float, 2> operator()(float a, float b) const { return {{a + b, a - b}}; }
  };
  static std::vector<double> expected(const std::vector<double>& x) { return {x[0] + x[1], x[0] - x[1]}; }
};

}  // namespace rowfold_test

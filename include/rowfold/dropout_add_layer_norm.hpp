// SPDX-License-Identifier: MIT
// The arguments of dropout + residual addition + LayerNorm and its plan: host values only, so that a .cpp file can make
// a plan that a .cu file launches. dropout_add_layer_norm.cuh has the op.
#pragma once

#include "rowfold/add_layer_norm.hpp"
#include "rowfold/config.hpp"
#include "rowfold/row/dropout.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// LayerNorm of dropout(x + bias) + residual: the arguments of residual addition + LayerNorm, and those of the dropout.
// A plan is made by plan_dropout_add_layer_norm.
template <class X, class Residual = X, class Gamma = X, class Beta = Gamma, class Y = X, class Sum = Residual,
          class Bias = absent>
struct dropout_add_layer_norm_args : add_layer_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias> {
  double p = 0;  // the probability of an element of x to be dropped, from 0 to 1
  random_state random{};
};

// What it asks for, without its pointers.
template <class X, class Residual, class Gamma, class Beta, class Y, class Sum, class Bias>
row_problem dropout_add_layer_norm_problem(
    const dropout_add_layer_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args) {
  row_problem problem = add_layer_norm_problem(args);
  problem.op = "dropout_add_layer_norm";
  check_drop_probability(problem, args.p);
  check_random_state(problem, args.random);
  return problem;
}

// The plan: pure, needs no GPU. The launcher does exactly what it says. Its bytes leave out the seed and offset that a
// kernel may read from device memory.
template <class Compiled = any_columns, class X, class Residual, class Gamma, class Beta, class Y, class Sum,
          class Bias>
row_plan plan_dropout_add_layer_norm(const dropout_add_layer_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args,
                                     const device_info& device) {
  return detail::refuse_left_out<Compiled>(make_row_plan(dropout_add_layer_norm_problem(args), device, args.request));
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

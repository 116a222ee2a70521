// SPDX-License-Identifier: MIT
// The arguments of residual addition + RMSNorm and its plan: host values only, so that a .cpp file can make a plan that
// a .cu file launches. add_rms_norm.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/only_columns.hpp"
#include "rowfold/row/parameter_type.hpp"
#include "rowfold/row/residual.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// RMSNorm of x + residual, `rows` rows of `cols` columns. Pointers are to memory of the device that runs the op.
template <class X, class Residual = X, class Gamma = X, class Beta = absent, class Y = X, class Sum = Residual,
          class Bias = absent>
struct add_rms_norm_args {
  using sum_type = Sum;
  using bias_type = Bias;

  const X* x = nullptr;                // [rows, cols]
  const Residual* residual = nullptr;  // [rows, cols]
  const Bias* bias = nullptr;          // [cols], or null: 0. Added to x, in float, before the residual is
  const Gamma* gamma = nullptr;  // [cols], or null: no weight. A type `absent` says so when the op is compiled: faster
  const Beta* beta = nullptr;    // [cols], or null: nothing is added after the weight. The same
  Y* y = nullptr;                // [rows, cols]; may be x or residual itself (same type and layout)
  Sum* sum = nullptr;            // [rows, cols], or null; may be x or residual itself, but not what y is
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-6;         // finite, not negative; rounded once to float (double for double)
  double weight_offset = 0;  // the weight is gamma + weight_offset, formed in float (double for double)
  row_layout x_layout{};
  row_layout residual_layout{};
  row_layout y_layout{};
  row_layout sum_layout{};
  accumulate_t<Sum>* rstd = nullptr;  // [rows], or null: each row's 1 / sqrt(mean(sum^2) + eps)
  plan_request request{};
  row_plan plan{};  // a plan made by plan_add_rms_norm for these arguments, or unset: the launcher makes one
};

// What an addition + RMSNorm asks for, without its pointers.
template <class X, class Residual, class Gamma, class Beta, class Y, class Sum, class Bias>
row_problem add_rms_norm_problem(const add_rms_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args) {
  row_problem problem;
  problem.op = "add_rms_norm";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.fold_passes = 1;
  problem.require_eps(args.eps);
  describe_residual_inputs(problem, args);
  if constexpr (!is_same<Gamma, absent>) problem.add_parameter("gamma", args.gamma);
  if constexpr (!is_same<Beta, absent>) problem.add_parameter("beta", args.beta);
  describe_residual_outputs(problem, args);
  if (args.rstd != nullptr) problem.add(make_operand("rstd", operand_kind::statistic, args.rstd));
  return problem;
}

// The plan of an addition + RMSNorm: pure, needs no GPU. The launcher does exactly what it says.
template <class Compiled = any_columns, class X, class Residual, class Gamma, class Beta, class Y, class Sum,
          class Bias>
row_plan plan_add_rms_norm(const add_rms_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args,
                           const device_info& device) {
  return detail::refuse_left_out<Compiled>(make_row_plan(add_rms_norm_problem(args), device, args.request));
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The arguments of LayerNorm and its plan: host values only, so that a .cpp file can make a plan that a .cu file
// launches. layer_norm.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/only_columns.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/parameter_type.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// LayerNorm of `rows` rows of `cols` columns. Pointers are to memory of the device that runs the op.
template <class X, class Gamma = X, class Beta = Gamma, class Y = X>
struct layer_norm_args {
  const X* x = nullptr;          // [rows, cols]
  const Gamma* gamma = nullptr;  // [cols], or null: 1. A type `absent` says so when the op is compiled, which is faster
  const Beta* beta = nullptr;    // [cols], or null: 0. The same
  Y* y = nullptr;                // [rows, cols]; may be x itself (same type and layout)
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-5;  // finite, not negative; rounded once to float (double if X is double)
  row_layout x_layout{};
  row_layout y_layout{};
  accumulate_t<X>* mean = nullptr;  // [rows], or null: each row's mean
  accumulate_t<X>* rstd = nullptr;  // [rows], or null: each row's 1 / sqrt(variance + eps)
  plan_request request{};
  row_plan plan{};  // a plan made by plan_layer_norm for these arguments, or unset: the launcher makes one
};

// What a LayerNorm asks for, without its pointers.
template <class X, class Gamma, class Beta, class Y>
row_problem layer_norm_problem(const layer_norm_args<X, Gamma, Beta, Y>& args) {
  row_problem problem;
  problem.op = "layer_norm";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.fold_passes = 2;
  problem.loads_first = true;
  problem.add(make_operand("x", operand_kind::input, args.x, args.x_layout.resolved(args.cols)));
  if constexpr (!is_same<Gamma, absent>) problem.add_parameter("gamma", args.gamma);
  if constexpr (!is_same<Beta, absent>) problem.add_parameter("beta", args.beta);
  problem.add(make_operand("y", operand_kind::output, args.y, args.y_layout.resolved(args.cols)));
  if (args.mean != nullptr) problem.add(make_operand("mean", operand_kind::statistic, args.mean));
  if (args.rstd != nullptr) problem.add(make_operand("rstd", operand_kind::statistic, args.rstd));
  problem.require_eps(args.eps);
  problem.require(args.x);
  problem.require(args.y);
  return problem;
}

// The plan of a LayerNorm: pure, needs no GPU. The launcher, of the same Compiled, does exactly what it says.
template <class Compiled = any_columns, class X, class Gamma, class Beta, class Y>
row_plan plan_layer_norm(const layer_norm_args<X, Gamma, Beta, Y>& args, const device_info& device) {
  return detail::refuse_left_out<Compiled>(make_row_plan(layer_norm_problem(args), device, args.request));
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

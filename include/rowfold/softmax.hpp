// SPDX-License-Identifier: MIT
// The arguments of softmax and log-softmax and the plan of softmax: host values only, so that a .cpp file can make a
// plan that a .cu file launches. softmax.cuh and log_softmax.cuh have the ops.
#pragma once

#include <cmath>
#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/logit_scaling.hpp"
#include "rowfold/row/masked_row.hpp"
#include "rowfold/row/visible_columns.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Softmax or log-softmax of x * scale + mask over the columns that each row sees; the others count as -inf, whatever
// they hold. Options that cost time are types: what is `absent` is not there. Pointers are to memory of the device that
// runs the op.
//   Scale    double, or absent: 1
//   Mask     float, __half, __nv_bfloat16 or double, or absent: 0
//   Columns  causal_columns, row_lengths<int> (or a 64-bit integer), fewer_columns<A, B>, or absent: all columns
template <class X, class Y = X, class Scale = absent, class Mask = absent, class Columns = absent>
struct softmax_args {
  const X* x = nullptr;        // [rows, cols]
  Y* y = nullptr;              // [rows, cols]; may be x itself (same type and layout)
  const Mask* mask = nullptr;  // [rows, cols], or fewer rows of which mask_layout repeats some; must not overlap y
  std::int64_t rows = 0;
  int cols = 0;
  Scale scale{};  // finite, at most 2^64 in size; rounded once to float (double if X is double)
  Columns columns{};
  row_layout x_layout{};
  row_layout y_layout{};
  row_layout mask_layout{};                // a stride of 0 repeats a row: strided(0), nested(queries, cols, 0)
  accumulate_t<X>* log_sum_exp = nullptr;  // [rows], or null: log of the sum of e^(x * scale + mask)
  masked_row masked = masked_row::nan;     // rows that see nothing but -inf
  plan_request request{};
  row_plan plan{};  // a plan made for these arguments, or unset: the launcher makes one
};

namespace detail {

// The scale that the arguments ask for.
template <class X, class Y, class Scale, class Mask, class Columns>
double scale_of(const softmax_args<X, Y, Scale, Mask, Columns>& args) {
  if constexpr (is_same<Scale, absent>) {
    return 1;
  } else {
    return static_cast<double>(args.scale);
  }
}

// What softmax or log-softmax asks for, without its pointers.
template <class X, class Y, class Scale, class Mask, class Columns>
row_problem softmax_problem(const softmax_args<X, Y, Scale, Mask, Columns>& args, const char* op) {
  row_problem problem;
  problem.op = op;
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X, Mask>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.fold = fold_class::softmax;
  problem.fold_passes = 2;
  const double scale = scale_of(args);
  if (!(std::fabs(scale) <= max_logit_scale)) problem.blame(problem_fault::bad_option);
  problem.require(args.x);
  problem.add(make_operand("x", operand_kind::input, args.x, args.x_layout.resolved(args.cols)));
  if constexpr (!is_same<Mask, absent>) {
    problem.require(args.mask);
    problem.add(make_operand("mask", operand_kind::input, args.mask, args.mask_layout.resolved(args.cols)));
  }
  if constexpr (!is_same<Columns, absent>) args.columns.describe(problem);
  problem.require(args.y);
  problem.add(make_operand("y", operand_kind::output, args.y, args.y_layout.resolved(args.cols)));
  if (args.log_sum_exp != nullptr) {
    problem.add(make_operand("log_sum_exp", operand_kind::statistic, args.log_sum_exp));
  }
  return problem;
}

}  // namespace detail

template <class X, class Y, class Scale, class Mask, class Columns>
row_problem softmax_problem(const softmax_args<X, Y, Scale, Mask, Columns>& args) {
  return detail::softmax_problem(args, "softmax");
}

// The plan of a softmax: pure, needs no GPU. The launcher does exactly what it says.
template <class X, class Y, class Scale, class Mask, class Columns>
row_plan plan_softmax(const softmax_args<X, Y, Scale, Mask, Columns>& args, const device_info& device) {
  return make_row_plan(softmax_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The arguments of adaptive LayerNorm and RMSNorm and their plans: host values only, so that a .cpp file can make a
// plan that a .cu file launches. ada_norm.cuh has the ops.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/parameter_type.hpp"
#include "rowfold/row/row_groups.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// A norm of `rows` rows of `cols` columns, and a modulation that differs between groups of `rows_per_group` rows: the
// tokens of a batch element, say. Pointers are to memory of the device that runs the op. The same for both norms.
template <class X, class Scale = X, class Shift = Scale, class Y = X>
struct ada_norm_args {
  const X* x = nullptr;          // [rows, cols]
  const Scale* scale = nullptr;  // [groups, cols], or null: 0. A type `absent` says so when the op is compiled: faster
  const Shift* shift = nullptr;  // [groups, cols], or null: 0. The same
  Y* y = nullptr;                // [rows, cols]; may be x itself (same type and layout)
  std::int64_t rows = 0;
  int cols = 0;
  std::int64_t rows_per_group = 1;  // at least 1; the last group may have fewer
  double eps = 1e-6;                // finite, not negative; rounded once to float (double if X is double)
  row_layout x_layout{};
  row_layout y_layout{};
  long long scale_stride = row_layout::packed;  // elements from one group's vector to the next one's; packed: cols
  long long shift_stride = row_layout::packed;
  accumulate_t<X>* mean = nullptr;  // [rows], or null: each row's mean (LayerNorm alone)
  accumulate_t<X>* rstd = nullptr;  // [rows], or null: each row's 1 / sqrt(variance or mean(x^2) + eps)
  plan_request request{};
  row_plan plan{};  // a plan made for these arguments by the norm's planner, or unset: the launcher makes one

  row_groups groups() const {
    return {rows_per_group, scale_stride == row_layout::packed ? cols : scale_stride,
            shift_stride == row_layout::packed ? cols : shift_stride};
  }
};

namespace detail {

template <class X, class Scale, class Shift, class Y>
row_problem ada_norm_problem(const ada_norm_args<X, Scale, Shift, Y>& args) {
  row_problem problem;
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.add(make_operand("x", operand_kind::input, args.x, args.x_layout.resolved(args.cols)));
  const row_groups groups = args.groups();
  groups.check(problem);
  if constexpr (!is_same<Scale, absent>) groups.describe(problem, "scale", args.scale, groups.first_stride);
  if constexpr (!is_same<Shift, absent>) groups.describe(problem, "shift", args.shift, groups.second_stride);
  problem.add(make_operand("y", operand_kind::output, args.y, args.y_layout.resolved(args.cols)));
  if (args.rstd != nullptr) problem.add(make_operand("rstd", operand_kind::statistic, args.rstd));
  problem.require_eps(args.eps);
  problem.require(args.x);
  problem.require(args.y);
  return problem;
}

}  // namespace detail

// What an adaptive LayerNorm asks for, without its pointers.
template <class X, class Scale, class Shift, class Y>
row_problem ada_layer_norm_problem(const ada_norm_args<X, Scale, Shift, Y>& args) {
  row_problem problem = detail::ada_norm_problem(args);
  problem.op = "ada_layer_norm";
  problem.fold_passes = 2;
  problem.loads_first = true;
  if (args.mean != nullptr) problem.add(make_operand("mean", operand_kind::statistic, args.mean));
  return problem;
}

// What an adaptive RMSNorm asks for, without its pointers. It has no mean to save.
template <class X, class Scale, class Shift, class Y>
row_problem ada_rms_norm_problem(const ada_norm_args<X, Scale, Shift, Y>& args) {
  row_problem problem = detail::ada_norm_problem(args);
  problem.op = "ada_rms_norm";
  problem.fold_passes = 1;
  return problem;
}

// The plans: pure, need no GPU. The launchers do exactly what they say.
template <class X, class Scale, class Shift, class Y>
row_plan plan_ada_layer_norm(const ada_norm_args<X, Scale, Shift, Y>& args, const device_info& device) {
  return make_row_plan(ada_layer_norm_problem(args), device, args.request);
}
template <class X, class Scale, class Shift, class Y>
row_plan plan_ada_rms_norm(const ada_norm_args<X, Scale, Shift, Y>& args, const device_info& device) {
  return make_row_plan(ada_rms_norm_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

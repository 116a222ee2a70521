// SPDX-License-Identifier: MIT
// Which kernels of a row op are compiled: all of them, or those that rows of a few widths take.
//
//   using hidden = rowfold::only_columns<768, 3072>;  // the widths of a model
//   rowfold::layer_norm<rowfold::accurate_math, hidden>(x, gamma, beta, y, rows, cols, 1e-5, stream);
//
// An op for any row has up to nine kernels; one width takes one of them, or two where a block has the row. What is left
// out is neither compiled nor in the program (LayerNorm of bfloat16: bench/results/compile).
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/launch/row_kernels.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// All kernels: rows of any width at any address.
struct any_columns {};

// The kernels that the default plan of rows of these widths asks for where every granule of every tensor is complete
// and aligned, with no optional parameter null. They serve what they serve, other widths too; for all other rows
// the plan is refused, with plan_reason::refused_kernel_left_out, and nothing is written. Ops of double, which have one
// kernel, leave nothing out, nor do those whose rows are not both folded and stored, or have their columns apart.
template <int... Columns>
struct only_columns {
  static_assert(sizeof...(Columns) > 0 && (... && (Columns > 0)), "at least one width, of at least one column");
};

namespace detail {

// What tells apart an op's kernels for rows of neighbouring columns that are folded and stored.
struct row_kernel_id {
  bool held;  // in registers, or in shared memory
  row_access access;
  bool whole_block;  // of kernels for rows in registers
  int vectors;       // the same
  bool fills;        // the kernel for 4 lanes without a missing granule
};

constexpr bool operator==(const row_kernel_id& a, const row_kernel_id& b) {
  return a.held == b.held && a.access == b.access && a.whole_block == b.whole_block && a.vectors == b.vectors &&
         a.fills == b.fills;
}

constexpr row_kernel_id held_kernel_id(int cols, int lanes, int vectors, int granule) {
  return {true, row_access::whole, lanes > 32, vectors, fills_four_lanes(cols, lanes, granule)};
}
constexpr row_kernel_id staged_kernel_id(row_access access) { return {false, access, false, 0, false}; }

// The kernel of a plan.
constexpr row_kernel_id kernel_of(const row_plan& plan) {
  return plan.variant == row_variant::held
             ? held_kernel_id(plan.problem.cols, plan.shape.lanes, plan.vectors, plan.shape.granule)
             : staged_kernel_id(plan.access);
}

// The kernel of the default plan of whole granules.
constexpr row_kernel_id kernel_of(int cols, int granule, fold_class fold) {
  if (cols % granule != 0) return staged_kernel_id(row_access::any);
  const int lanes = default_lanes(cols, granule, fold);
  const int vectors = held_kernel_vectors(cols / granule, lanes, granule, fold);
  return vectors != 0 ? held_kernel_id(cols, lanes, vectors, granule) : staged_kernel_id(row_access::whole);
}

template <class Columns>
struct compiled_kernels;
template <>
struct compiled_kernels<any_columns> {
  static constexpr bool contain(const row_kernel_id&, int, fold_class) { return true; }
};
template <int... Columns>
struct compiled_kernels<only_columns<Columns...>> {
  static constexpr bool contain(const row_kernel_id& kernel, int granule, fold_class fold) {
    return (... || (kernel_of(Columns, granule, fold) == kernel));
  }
};

}  // namespace detail

// The same plan, refused where its kernel is left out.
template <class Columns>
row_plan leave_out(row_plan plan) {
  const row_problem& problem = plan.problem;
  const bool selective =
      problem.accumulate_bytes != 8 && !problem.folds_once() && !problem.folds_nothing() && !problem.spaced_columns;
  if (plan.status == plan_status::ready && selective &&
      !detail::compiled_kernels<Columns>::contain(detail::kernel_of(plan), problem.granule, problem.shape_class())) {
    plan.status = plan_status::refused;
    plan.reason = plan_reason::refused_kernel_left_out;
  }
  return plan;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

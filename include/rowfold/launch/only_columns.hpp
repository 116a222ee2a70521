// SPDX-License-Identifier: MIT
// Which kernels of a row op are compiled: all of them, or those that rows of a few widths take.
//
//   using widths = rowfold::only_columns<768, 3072>;  // of a model
//   rowfold::layer_norm<rowfold::accurate_math, widths>(x, gamma, beta, y, rows, cols, 1e-5, stream);
//
// An op for any row has up to nine kernels. Rows of one width take one of them, or two in a block that asks for its
// parameters early or late. What is left out is neither compiled nor in the program (bench/results/compile).
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/launch/row_kernels.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/numeric/traits.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// All kernels: rows of any width at any address.
struct any_columns {};

// The kernels that default plans of rows of these widths ask for where all tensors are aligned and no parameter is null
// (one of the type `absent` is not there). They serve other widths, too, where those take the same kernel. All other
// plans, also of requests that ask for another kernel, are refused with plan_reason::refused_kernel_left_out: the
// launcher returns cudaErrorInvalidValue, and nothing is written.
//
// Name the width 1 besides to keep rows at any address: they take its kernel, and rows that could take a faster one do
// with plan_request::any_access. Ops of double have that kernel alone and leave nothing out, nor do ops that fold
// nothing, or once without storing rows, or whose columns lie apart.
template <int... Columns>
struct only_columns {};

namespace detail {

// Whether the kernels of an op can be left out: those for rows that are folded and stored, or folded more than once.
constexpr bool has_many_kernels(int accumulate_bytes, int folds, bool stores_rows) {
  return accumulate_bytes != 8 && folds > 0 && (folds > 1 || stores_rows);
}

// What tells apart such kernels for rows of neighbouring columns. The early and the late kernel of a block go together.
enum class kernel_kind {
  warp,        // rows in registers, in part of a warp
  four_lanes,  // the same in 4 lanes, none of which misses a granule
  block,       // the same in a block
  staged,      // rows of whole granules in shared memory
  any,         // rows at any address
};
struct row_kernel_id {
  kernel_kind kind;
  int vectors;  // granules of a lane that registers hold
};

constexpr bool operator==(const row_kernel_id& a, const row_kernel_id& b) {
  return a.kind == b.kind && a.vectors == b.vectors;
}

constexpr row_kernel_id held_kernel_id(int cols, int lanes, int vectors, int granule) {
  return {lanes > 32                               ? kernel_kind::block
          : fills_four_lanes(cols, lanes, granule) ? kernel_kind::four_lanes
                                                   : kernel_kind::warp,
          vectors};
}
constexpr row_kernel_id staged_kernel_id(row_access access) {
  return {access == row_access::any ? kernel_kind::any : kernel_kind::staged, 0};
}

// The kernel of a plan.
constexpr row_kernel_id kernel_of(const row_plan& plan) {
  return plan.variant == row_variant::held
             ? held_kernel_id(plan.problem.cols, plan.shape.lanes, plan.vectors, plan.shape.granule)
             : staged_kernel_id(plan.access);
}

// What an op is, as far as its default plans depend on it.
struct row_op_kind {
  int granule;
  fold_class fold;
  int joined_granules;  // row_problem's
};

// The kernel of the default plan of aligned tensors.
constexpr row_kernel_id default_kernel(int cols, const row_op_kind& op) {
  if (cols % op.granule != 0) return staged_kernel_id(row_access::any);
  const int least = op.joined_granules;
  const int lanes = default_lanes(cols, op.granule, op.fold);
  const int all_lanes = lanes < least ? least : lanes;
  const int vectors = held_kernel_vectors(cols / op.granule, all_lanes, op.granule, op.fold);
  return vectors != 0 ? held_kernel_id(cols, all_lanes, vectors, op.granule) : staged_kernel_id(row_access::whole);
}

template <class Compiled>
struct compiled_kernels {
  static_assert(is_same<Compiled, any_columns>, "which kernels are compiled: any_columns or only_columns<...>");
  static constexpr bool contain(const row_kernel_id&, const row_op_kind&) { return true; }
};
template <int First, int... Columns>
struct compiled_kernels<only_columns<First, Columns...>> {
  static_assert(First > 0 && (... && (Columns > 0)), "only_columns names widths of at least one column");
  static constexpr bool contain(const row_kernel_id& kernel, const row_op_kind& op) {
    return default_kernel(First, op) == kernel || (... || (default_kernel(Columns, op) == kernel));
  }
};

// The same plan, refused where its kernel is not compiled.
template <class Compiled>
row_plan refuse_left_out(row_plan plan) {
  const row_problem& problem = plan.problem;
  const row_op_kind op{problem.granule, problem.shape_class(), problem.joined_granules};
  if (plan.status == plan_status::ready && !problem.spaced_columns &&
      has_many_kernels(problem.accumulate_bytes, problem.fold_passes, problem.stores_rows) &&
      !compiled_kernels<Compiled>::contain(kernel_of(plan), op)) {
    plan.status = plan_status::refused;
    plan.reason = plan_reason::refused_kernel_left_out;
  }
  return plan;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The planner's part for rows whose columns lie apart: the variant, and how rows and lanes share a block. Neighbouring
// threads have neighbouring rows, and the lanes of a row lie across warps (row/across_warps.cuh).
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/launch/not_held.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/launch/stride_residue.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Granules per lane of the kernel that holds such rows in registers, or 0 where none does: in such a kernel every lane
// has all of its granules but possibly the last one.
constexpr int spaced_kernel_vectors(int granules, int lanes, int granule, fold_class fold) {
  const int vectors = detail::ceil_div(granules, lanes);
  if (vectors > max_warp_vectors(granule, fold)) return 0;
  const int fewest = lanes > 32 ? 3 : 2;
  const int kernel = vectors < fewest ? fewest : vectors;
  return granules >= (kernel - 1) * lanes ? kernel : 0;
}

namespace detail {

// Whether every two rows 2n and 2n + 1 lie side by side in each tensor whose columns lie apart, so that one aligned
// access moves an element of both.
constexpr bool rows_pair_up(const row_problem& problem) {
  if (problem.rows % 2 != 0) return false;
  for (int i = 0; i < problem.operand_count; ++i) {
    const operand& o = problem.operands[i];
    if (!o.spaced_columns) continue;
    const int bytes = 2 * o.element_bytes;
    if (o.layout.inner % 2 != 0 || o.layout.inner == 0 || o.layout.inner_stride != 1 ||
        o.misalignment % static_cast<unsigned>(bytes) != 0 || stride_residue(o.spacing, o.element_bytes) % bytes != 0 ||
        stride_residue(o.layout.outer_stride, o.element_bytes) % bytes != 0) {
      return false;
    }
  }
  return true;
}

// Neighbouring threads of a block that have neighbouring rows, a power of two: as many as let `threads` hold all lanes,
// and one where a row has more lanes.
constexpr int spaced_slots(int lanes, int threads) {
  int slots = 1;
  while (2 * slots * lanes <= threads) slots *= 2;
  return slots;
}

// Whether the elements of a column begin as rows do with respect to the sectors in which memory is read.
constexpr bool columns_keep_to_sectors(const row_problem& problem) {
  for (int i = 0; i < problem.operand_count; ++i) {
    const operand& o = problem.operands[i];
    const long long residue = o.spacing & (row_tuning::sector_bytes - 1);
    if (o.spaced_columns && residue * o.element_bytes % row_tuning::sector_bytes != 0) return false;
  }
  return true;
}

// The threads of a block, where the caller does not say.
inline int spaced_block_threads(const row_problem& problem, int lanes, bool pairs) {
  const int wanted = lanes * row_tuning::spaced_slots;
  const bool few = pairs && lanes <= row_tuning::spaced_most_lanes_of_pairs && columns_keep_to_sectors(problem);
  const int most = few ? row_tuning::spaced_most_threads_of_pairs : row_tuning::spaced_most_threads;
  if (wanted < row_tuning::spaced_least_threads) return row_tuning::spaced_least_threads;
  return wanted < most ? wanted : most;
}

// Everything of the plan that access and lanes leave open; returns why the plan is refused, or none.
inline plan_reason plan_spaced_rows(row_plan& plan, const plan_request& request) {
  const row_problem& problem = plan.problem;
  if (problem.joined_granules > 1) return plan_reason::refused_joined_lanes;
  if (request.staged) return plan_reason::refused_request;
  const int lanes = plan.shape.lanes;
  const int held_vectors =
      spaced_kernel_vectors(ceil_div(problem.cols, problem.granule), lanes, problem.granule, problem.shape_class());
  const plan_reason not_held =
      not_held_reason(plan, request, held_vectors, max_warp_vectors(problem.granule, problem.shape_class()));
  if (not_held == plan_reason::none) {
    plan.variant = row_variant::held;
    plan.reason = plan_reason::row_fits_registers;
    plan.vectors = held_vectors;
  } else {
    plan.variant = row_variant::reread;
    plan.reason = not_held;
    plan.vectors = row_tuning::spaced_reread_vectors;
    if (plan.access == row_access::whole) {
      plan.access = row_access::any;  // which serves whole granules, too
      plan.access_reason = not_held;
    }
  }
  const bool pairs = plan.variant == row_variant::held && rows_pair_up(problem);
  const int threads = request.block_threads != 0 ? request.block_threads : spaced_block_threads(problem, lanes, pairs);
  const int slots = spaced_slots(lanes, threads);
  plan.rows_per_thread = pairs ? 2 : 1;
  plan.rows_per_block = slots * plan.rows_per_thread;
  plan.block_threads = static_cast<unsigned>(slots * lanes);
  plan.shared_bytes = row_tuning::spaced_thread_bytes * plan.block_threads;
  return plan_reason::none;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

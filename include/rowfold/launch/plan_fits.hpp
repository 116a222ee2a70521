// SPDX-License-Identifier: MIT
// Whether the parts of a plan fit together as the planner's do: a plan is a value that anybody may have changed, and
// kernels rely on it.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/row_kernels.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/spaced_row_plan.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// Whether every granule of every tensor is complete and aligned.
constexpr bool has_whole_granules(const row_problem& problem) {
  if (problem.has_null_parameter || problem.cols % problem.granule != 0) return false;
  for (int i = 0; i < problem.operand_count; ++i) {
    if (unaligned_reason(problem.operands[i], problem.granule) != plan_reason::none) return false;
  }
  return true;
}

// Whether rows are in registers, or only pass through them.
constexpr bool is_in_registers(const row_plan& plan) {
  return plan.variant == row_variant::held || plan.variant == row_variant::streamed;
}

// Whether the block holds the rows that the plan says.
template <bool SpacedColumns>
constexpr bool block_fits(const row_plan& plan) {
  const int lanes = plan.shape.lanes;
  const int threads = static_cast<int>(plan.block_threads);
  const bool pairs = SpacedColumns && plan.rows_per_thread == 2 && plan.variant == row_variant::held;
  if (plan.rows_per_thread != 1 && !pairs) return false;
  if (SpacedColumns) return threads * plan.rows_per_thread == plan.rows_per_block * lanes;
  if (lanes > 32) return threads == lanes && plan.rows_per_block == 1;
  return is_power_of_two(lanes) && legal_block_threads(threads) && plan.rows_per_block == threads / lanes;
}

// Whether there is a kernel whose lanes hold the row in as many granules in registers, or go through it without keeping
// it, in as many parts.
template <bool SpacedColumns>
constexpr bool registers_fit(const row_plan& plan) {
  const row_problem& problem = plan.problem;
  const int granules = ceil_div(problem.cols, problem.granule);
  const int lanes = plan.shape.lanes;
  const bool keeps = !problem.folds_once() && !problem.folds_nothing() && problem.accumulate_bytes != 8;
  if (plan.variant == row_variant::held) {
    const int vectors = SpacedColumns ? spaced_kernel_vectors(granules, lanes, problem.granule, problem.shape_class())
                                      : held_kernel_vectors(granules, lanes, problem.granule, problem.shape_class());
    return keeps && plan.parts == 1 && vectors != 0 && plan.vectors == vectors;
  }
  if (plan.variant == row_variant::streamed && keeps) return false;
  if (plan.variant != row_variant::streamed || !problem.folds_nothing()) return plan.parts == 1;
  // Parts of a row have lanes of one warp, and all of them together are counted in 31 bits.
  return lanes <= 32 && plan.parts == (problem.cols > 0 ? row_parts(granules, lanes, plan.vectors) : 1) &&
         (plan.parts == 1 || problem.rows <= row_tuning::max_parts / plan.parts);
}

// Whether the stages and what threads share have room, and there is a kernel for rows in stages that are reached so.
template <bool SpacedColumns>
constexpr bool stages_fit(const row_plan& plan) {
  const row_problem& problem = plan.problem;
  if (SpacedColumns) return true;  // without stages; op_kernels.cuh knows what threads share
  if (is_in_registers(plan)) {
    return plan.shape.lanes <= 32 || plan.shared_bytes >= row_tuning::group_shared_bytes;
  }
  if (plan.access == row_access::whole && (problem.accumulate_bytes == 8 || problem.passes() == 1)) return false;
  const int row_columns = ceil_div(problem.cols, problem.granule) * problem.granule;
  const int step = plan.shape.lanes * problem.granule;
  return plan.stage_columns == row_columns || (plan.stage_columns > 0 && plan.stage_columns % step == 0);
}

// Whether lanes that work together are in one warp.
template <bool SpacedColumns>
constexpr bool joins_lanes(const row_plan& plan) {
  const int joined = plan.problem.joined_granules;
  return joined == 1 || (joined > 1 && !SpacedColumns && plan.shape.lanes % joined == 0);
}

// Of a plan that is ready, for rows whose columns lie apart or for rows whose columns do not.
template <bool SpacedColumns>
constexpr bool fits_together(const row_plan& plan) {
  if (plan.problem.spaced_columns != SpacedColumns || plan.shape.granule != plan.problem.granule ||
      !legal_lanes(plan.shape.lanes) || !joins_lanes<SpacedColumns>(plan) || plan.rows_per_block < 1 ||
      plan.vectors < 0 || (is_in_registers(plan) && (plan.vectors == 0 || plan.access != row_access::whole)) ||
      (plan.access == row_access::whole && !has_whole_granules(plan.problem)) || !block_fits<SpacedColumns>(plan) ||
      !registers_fit<SpacedColumns>(plan) || !stages_fit<SpacedColumns>(plan)) {
    return false;
  }
  const std::int64_t blocks = (plan.problem.rows * plan.parts - 1) / plan.rows_per_block + 1;
  return static_cast<std::int64_t>(plan.grid_blocks) == blocks;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Why a row is not held in registers.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// The first reason, or none. `held_vectors`: granules a lane of the kernel that serves the row, 0 where none does;
// `most_vectors`: of any kernel for as many lanes.
constexpr plan_reason not_held_reason(const row_plan& plan, const plan_request& request, int held_vectors,
                                      int most_vectors) {
  const row_problem& problem = plan.problem;
  if (request.reread) return plan_reason::asked_for;
  if (problem.accumulate_bytes == 8) return plan_reason::double_has_one_variant;
  if (request.staged) return plan_reason::asked_for;
  if (problem.has_null_parameter) return plan_reason::parameter_is_null;
  if (plan.access == row_access::any) return plan_reason::row_not_aligned;
  if (problem.folds_once()) return plan_reason::row_is_folded_once;
  if (problem.folds_nothing()) return plan_reason::row_is_not_folded;
  const int granules = ceil_div(problem.cols, problem.granule);
  if (ceil_div(granules, plan.shape.lanes) > most_vectors) return plan_reason::row_too_wide_for_registers;
  return held_vectors == 0 ? plan_reason::no_kernel_for_whole_granules : plan_reason::none;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

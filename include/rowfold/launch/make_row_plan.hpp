// SPDX-License-Identifier: MIT
// The planner of row ops: a pure function from a problem, a device and a request to a plan. row_tuning.hpp has the
// numbers.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/issued_bytes.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

namespace detail {

constexpr bool legal_lanes(int lanes) {
  return lanes > 0 &&
         (lanes <= 32 ? ceil_power_of_two(lanes) == lanes : lanes <= row_tuning::max_lanes && lanes % 32 == 0);
}

}  // namespace detail

namespace detail {

// Lanes of a block with several rows come in whole warps, and one row's lanes fit the smallest such block. More threads
// than the widest row gets would not find their registers.
constexpr bool legal_block_threads(int threads) {
  return threads >= 32 && threads <= row_tuning::max_lanes && threads % 32 == 0;
}

inline row_plan refuse(row_plan plan, plan_reason reason, const char* operand = "") {
  plan.status = plan_status::refused;
  plan.reason = reason;
  plan.operand = operand;
  return plan;
}

constexpr plan_reason reason_of(problem_fault fault) {
  switch (fault) {
    case problem_fault::bad_eps:
      return plan_reason::refused_eps;
    case problem_fault::null_pointer:
      return plan_reason::refused_null_pointer;
    case problem_fault::too_many_operands:
      return plan_reason::refused_too_many_operands;
    case problem_fault::none:
      break;
  }
  return plan_reason::none;
}

// A stride in bytes, modulo 16: of any stride, since one that no row uses may be anything.
constexpr int stride_residue(long long stride, int element_bytes) {
  return static_cast<int>(stride & 15) * element_bytes & 15;
}

// The first condition, if any, that keeps some granule of `o` from being one aligned vector access.
constexpr plan_reason unaligned_reason(const operand& o, int granule) {
  if (o.kind == operand_kind::statistic) return plan_reason::none;
  const int bytes = granule * o.element_bytes < 16 ? granule * o.element_bytes : 16;
  if (o.misalignment % static_cast<unsigned>(bytes) != 0) return plan_reason::refused_misaligned_pointer;
  if (o.kind != operand_kind::parameter &&
      (stride_residue(o.layout.inner_stride, o.element_bytes) % bytes != 0 ||
       (o.layout.inner != 0 && stride_residue(o.layout.outer_stride, o.element_bytes) % bytes != 0))) {
    return plan_reason::refused_misaligned_stride;
  }
  return plan_reason::none;
}

inline void choose_access(row_plan& plan, bool any_access) {
  const row_problem& problem = plan.problem;
  plan.access = row_access::any;
  if (any_access) {
    plan.access_reason = plan_reason::asked_for;
    return;
  }
  for (int i = 0; i < problem.operand_count; ++i) {
    plan.access_reason = unaligned_reason(problem.operands[i], problem.granule);
    plan.operand = problem.operands[i].name;
    if (plan.access_reason != plan_reason::none) return;
  }
  plan.operand = "";
  if (problem.cols % problem.granule != 0) {
    plan.access_reason = plan_reason::refused_partial_granule;
    return;
  }
  plan.access = row_access::whole;
}

}  // namespace detail

namespace detail {

// The variant, the granules per lane, and whether a kernel for whole granules exists.
inline void choose_variant(row_plan& plan, bool reread) {
  const int granules = ceil_div(plan.problem.cols, plan.problem.granule);
  const int lanes = plan.shape.lanes;
  const int vectors = ceil_div(granules, lanes);
  plan.variant = row_variant::held;
  plan.reason = plan_reason::row_fits_registers;
  if (plan.problem.accumulate_bytes == 8 || reread || vectors > row_tuning::max_vectors) {
    plan.variant = row_variant::reread;
    plan.reason = plan.problem.accumulate_bytes == 8 ? plan_reason::double_has_one_variant
                  : reread                           ? plan_reason::asked_for
                                                     : plan_reason::row_too_wide_for_registers;
  }
  const bool held = plan.variant == row_variant::held;
  const int whole_vectors = held ? whole_kernel_vectors(granules, lanes) : row_tuning::reread_vectors;
  const bool whole_kernel = whole_vectors != 0 && plan.problem.accumulate_bytes != 8;
  if (plan.access == row_access::whole && !whole_kernel) {
    plan.access = row_access::any;  // which moves whole granules whole, too
    plan.access_reason = plan_reason::no_kernel_for_whole_granules;
  }
  if (plan.access == row_access::whole) {
    plan.vectors = whole_vectors;
  } else {
    plan.vectors = held && vectors == row_tuning::max_vectors ? row_tuning::max_vectors : row_tuning::max_vectors - 1;
  }
}

// Blocks and threads. False if the rows do not fit a grid.
inline bool choose_grid(row_plan& plan, int block_threads) {
  const int lanes = plan.shape.lanes;
  if (lanes > 32) {
    plan.block_threads = static_cast<unsigned>(lanes);
    plan.shared_bytes = row_tuning::group_shared_bytes;
    plan.rows_per_block = 1;
  } else {
    const int threads = block_threads != 0  ? block_threads
                        : plan.vectors == 2 ? row_tuning::shared_block_threads_two_vectors
                                            : row_tuning::shared_block_threads;
    plan.block_threads = static_cast<unsigned>(threads);
    plan.shared_bytes = 0;
    plan.rows_per_block = threads / lanes;
  }
  const std::int64_t blocks = (plan.problem.rows - 1) / plan.rows_per_block + 1;
  plan.grid_blocks = static_cast<unsigned>(blocks);
  return blocks <= row_tuning::max_grid_blocks;
}

}  // namespace detail

// The plan for a problem: pure, so that it can be tested, printed and cached anywhere. `device` limits nothing yet that
// a GPU of compute capability 7.5 or later does not offer.
inline row_plan make_row_plan(const row_problem& problem, const device_info& device, const plan_request& request = {}) {
  static_cast<void>(device);
  row_plan plan;
  plan.problem = problem;
  if (problem.rows < 0) return detail::refuse(plan, plan_reason::refused_rows);
  if (problem.cols < 0 || problem.cols > row_tuning::max_cols) {
    return detail::refuse(plan, plan_reason::refused_cols);
  }
  if (problem.fault != problem_fault::none) return detail::refuse(plan, detail::reason_of(problem.fault));
  if (problem.cols != 0 && problem.rows > row_tuning::max_elements / problem.cols) {
    return detail::refuse(plan, plan_reason::refused_too_many_rows);
  }
  if (problem.rows == 0 || problem.cols == 0) {
    plan.status = plan_status::nothing;
    plan.reason = problem.rows == 0 ? plan_reason::no_rows : plan_reason::no_columns;
    return plan;
  }
  if ((request.lanes != 0 && !detail::legal_lanes(request.lanes)) ||
      (request.block_threads != 0 && !detail::legal_block_threads(request.block_threads))) {
    return detail::refuse(plan, plan_reason::refused_request);
  }

  detail::choose_access(plan, request.any_access);
  if (request.require_vectorized && plan.access != row_access::whole) {
    return detail::refuse(plan, plan.access_reason, plan.operand);
  }
  const int lanes = default_lanes(problem.cols, problem.granule);
  plan.shape = {problem.granule, request.lanes != 0 ? request.lanes : lanes};
  plan.shape_is_default = plan.shape.lanes == lanes;
  detail::choose_variant(plan, request.reread);
  if (!detail::choose_grid(plan, request.block_threads))
    return detail::refuse(plan, plan_reason::refused_too_many_rows);
  plan.minimal_bytes = minimal_bytes(problem);
  plan.issued_bytes = issued_bytes(problem, plan);
  plan.status = plan_status::ready;
  return plan;
}

// The launcher's view of a plan that the caller brings: it must have been made for this very problem.
inline row_plan check_row_plan(const row_plan& plan, const row_problem& problem) {
  if (plan.status == plan_status::refused || plan.problem == problem) return plan;
  row_plan refused;
  refused.problem = problem;
  return detail::refuse(refused, plan_reason::refused_plan_of_another_problem);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

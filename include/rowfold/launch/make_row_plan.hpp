// SPDX-License-Identifier: MIT
// The planner of row ops: a pure function from a problem, a device and a request to a plan. All tuning lives here.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/issued_bytes.hpp"
#include "rowfold/launch/row_plan.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Tuning of the row engine, with what each number rests on.
struct row_tuning {
  // Independent 16-byte loads per thread before the first use. On an H200, 1 or 2 reached 0.40 to 0.75 of a copy where
  // 4 reach 0.97 and more (bfloat16 LayerNorm, 64 to 5120 columns).
  static constexpr int vectors = 4;
  // Lanes of the narrowest rows: four neighbouring lanes read at least one full 64-byte piece together.
  static constexpr int min_lanes = 4;
  static constexpr int max_lanes = 1024;  // a block
  // Threads of a block with several rows.
  static constexpr int shared_block_threads = 128;
  // sizeof(row_group_storage): two slots of 32 warps' states of 16 bytes. row_group.cuh asserts it.
  static constexpr int group_shared_bytes = 2 * 32 * 16;
  // Columns are int, and a batch of granules may reach behind the last: keep that in range.
  static constexpr int max_cols = 0x7fffffff - max_lanes * vectors * 16;
  static constexpr std::int64_t max_grid_blocks = 0x7fffffff;
  // No memory holds as many; below it, counts of bytes fit 63 bits.
  static constexpr std::int64_t max_elements = std::int64_t{1} << 52;
};

namespace detail {

constexpr int ceil_div(int a, int b) { return a / b + (a % b != 0 ? 1 : 0); }

constexpr int ceil_power_of_two(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

constexpr bool legal_lanes(int lanes) {
  return lanes > 0 &&
         (lanes <= 32 ? ceil_power_of_two(lanes) == lanes : lanes <= row_tuning::max_lanes && lanes % 32 == 0);
}

}  // namespace detail

// The lanes that fold a row by default: as many as hold it with row_tuning::vectors granules each.
constexpr fold_shape make_fold_shape(int cols, int granule) {
  const int granules = detail::ceil_div(cols, granule);
  const int lanes = detail::ceil_div(granules, row_tuning::vectors);
  if (lanes > row_tuning::max_lanes) return {granule, row_tuning::max_lanes};
  if (lanes > 32) return {granule, detail::ceil_div(lanes, 32) * 32};
  const int narrowest = detail::ceil_power_of_two(granules < row_tuning::min_lanes ? granules : row_tuning::min_lanes);
  const int power = detail::ceil_power_of_two(lanes);
  return {granule, power < narrowest ? narrowest : power};
}

namespace detail {

inline row_plan refuse(row_plan plan, plan_reason reason, const char* operand = "") {
  plan.status = plan_status::refused;
  plan.reason = reason;
  plan.operand = operand;
  return plan;
}

constexpr plan_reason reason_of(problem_fault fault) {
  switch (fault) {
    case problem_fault::negative_rows:
      return plan_reason::refused_rows;
    case problem_fault::negative_cols:
    case problem_fault::overflow:
      return plan_reason::refused_cols;
    case problem_fault::bad_eps:
      return plan_reason::refused_eps;
    case problem_fault::null_pointer:
      return plan_reason::refused_null_pointer;
    case problem_fault::none:
      break;
  }
  return plan_reason::none;
}

// The first condition, if any, that keeps some granule of `o` from being one aligned vector access.
constexpr plan_reason unaligned_reason(const operand& o, int granule) {
  if (o.kind == operand_kind::statistic) return plan_reason::none;
  const int bytes = granule * o.element_bytes < 16 ? granule * o.element_bytes : 16;
  if (o.misalignment % static_cast<unsigned>(bytes) != 0) return plan_reason::refused_misaligned_pointer;
  if (o.kind != operand_kind::parameter &&
      (o.layout.inner_stride * o.element_bytes % bytes != 0 ||
       (o.layout.inner != 0 && o.layout.outer_stride * o.element_bytes % bytes != 0))) {
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

// The plan for a problem: pure, so that it can be tested, printed and cached anywhere. `device` limits nothing yet that
// a GPU of compute capability 7.5 or later does not offer.
inline row_plan make_row_plan(const row_problem& problem, const device_info& device, const plan_request& request = {}) {
  static_cast<void>(device);
  row_plan plan;
  plan.problem = problem;
  if (problem.fault != problem_fault::none) return detail::refuse(plan, detail::reason_of(problem.fault));
  if (problem.cols > row_tuning::max_cols) return detail::refuse(plan, plan_reason::refused_cols);
  if (problem.cols != 0 && problem.rows > row_tuning::max_elements / problem.cols) {
    return detail::refuse(plan, plan_reason::refused_too_many_rows);
  }
  if (problem.rows == 0 || problem.cols == 0) {
    plan.status = plan_status::nothing;
    plan.reason = problem.rows == 0 ? plan_reason::no_rows : plan_reason::no_columns;
    return plan;
  }

  detail::choose_access(plan, request.any_access);
  if (request.require_vectorized && plan.access != row_access::whole) {
    return detail::refuse(plan, plan.access_reason, plan.operand);
  }

  plan.shape = make_fold_shape(problem.cols, problem.granule);
  if (request.lanes != 0) {
    if (!detail::legal_lanes(request.lanes)) return detail::refuse(plan, plan_reason::refused_override);
    plan.shape_is_default = request.lanes == plan.shape.lanes;
    plan.shape.lanes = request.lanes;
  }
  const int lanes = plan.shape.lanes;
  const int granules = detail::ceil_div(problem.cols, problem.granule);
  plan.vectors = row_tuning::vectors;
  if (problem.accumulate_bytes == 8) {
    plan.variant = row_variant::reread;
    plan.reason = plan_reason::double_has_one_variant;
  } else if (request.reread) {
    plan.variant = row_variant::reread;
    plan.reason = plan_reason::asked_for;
  } else if (detail::ceil_div(granules, lanes) > row_tuning::vectors) {
    plan.variant = row_variant::reread;
    plan.reason = plan_reason::row_too_wide_for_registers;
  } else {
    plan.variant = row_variant::held;
    plan.reason = plan_reason::row_fits_registers;
  }

  int threads = row_tuning::shared_block_threads;
  if (request.block_threads != 0) {
    if (request.block_threads % 32 != 0 || request.block_threads < 32 || request.block_threads > 1024) {
      return detail::refuse(plan, plan_reason::refused_override);
    }
    threads = request.block_threads;
  }
  plan.rows_per_block = lanes <= 32 ? threads / lanes : 1;
  plan.block_threads = static_cast<unsigned>(lanes <= 32 ? threads : lanes);
  plan.shared_bytes = static_cast<unsigned>(lanes <= 32 ? 0 : row_tuning::group_shared_bytes);
  const std::int64_t blocks = (problem.rows - 1) / plan.rows_per_block + 1;
  if (blocks > row_tuning::max_grid_blocks) return detail::refuse(plan, plan_reason::refused_too_many_rows);
  plan.grid_blocks = static_cast<unsigned>(blocks);
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

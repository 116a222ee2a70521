// SPDX-License-Identifier: MIT
// The planner of row ops: a pure function from a problem, a device and a request to a plan. row_kernels.hpp
// chooses the kernel of rows in registers, row_tuning.hpp has the numbers.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/input_priority.hpp"
#include "rowfold/launch/issued_bytes.hpp"
#include "rowfold/launch/not_held.hpp"
#include "rowfold/launch/row_kernels.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_shared.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/launch/spaced_row_plan.hpp"
#include "rowfold/launch/stride_residue.hpp"
#include "rowfold/numeric/power_of_two.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

namespace detail {

constexpr bool legal_lanes(int lanes) {
  return lanes > 0 && lanes <= row_tuning::max_lanes && (is_power_of_two(lanes) || lanes % 32 == 0);
}

// Lanes of a block with several rows come in whole warps, and one row's lanes fit the smallest such block. More threads
// than the widest row gets would not find their registers.
constexpr bool legal_block_threads(int threads) {
  return threads >= 32 && threads <= row_tuning::max_lanes && threads % 32 == 0;
}

inline void refuse(row_plan& plan, plan_reason reason, const char* operand = "") {
  plan.status = plan_status::refused;
  plan.reason = reason;
  plan.operand = operand;
}

constexpr plan_reason reason_of(problem_fault fault) {
  switch (fault) {
    case problem_fault::bad_eps:
      return plan_reason::refused_eps;
    case problem_fault::bad_option:
      return plan_reason::refused_option;
    case problem_fault::no_columns:
      return plan_reason::refused_no_columns;
    case problem_fault::null_pointer:
      return plan_reason::refused_null_pointer;
    case problem_fault::misaligned_random:
      return plan_reason::refused_misaligned_random;
    case problem_fault::too_many_operands:
      return plan_reason::refused_too_many_operands;
    case problem_fault::none:
      break;
  }
  return plan_reason::none;
}

// The first condition, if any, that keeps some granule of `o` from being one aligned vector access.
constexpr plan_reason unaligned_reason(const operand& o, int granule) {
  if (has_one_column(o.kind) || o.spaced_columns) return plan_reason::none;
  const int granule_bytes = granule * o.elements_per_column * o.element_bytes;
  const int bytes = granule_bytes < 16 ? granule_bytes : 16;
  if (o.misalignment % static_cast<unsigned>(bytes) != 0) return plan_reason::refused_misaligned_pointer;
  if ((o.kind != operand_kind::parameter || o.vectors != 1) &&
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
  if (problem.has_null_parameter) {
    plan.access_reason = plan_reason::parameter_is_null;
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

// The lanes, granules per lane and parts of a row of which nothing is folded.
inline void choose_parts(row_plan& plan, int requested_lanes) {
  const row_problem& problem = plan.problem;
  // A row without columns has a part, too, which finishes it.
  const int granules = problem.cols == 0 ? 1 : problem.cols / problem.granule;
  const int vectors = row_tuning::part_vectors(problem.granule, problem.granule_bytes());
  int lanes = requested_lanes != 0 ? requested_lanes : part_lanes(granules, vectors);
  if (lanes < problem.joined_granules) lanes = problem.joined_granules;
  const auto parts = [&] { return row_parts(granules, lanes, vectors); };
  const auto too_many = [&] { return parts() > 1 && problem.rows > row_tuning::max_parts / parts(); };
  while (requested_lanes == 0 && lanes < 32 && too_many()) lanes *= 2;
  plan.reason = plan_reason::no_kernel_for_whole_granules;
  if (lanes > 32 || too_many()) return;
  plan.variant = row_variant::streamed;
  plan.reason = plan_reason::row_is_not_folded;
  plan.shape.lanes = lanes;
  plan.vectors = vectors;
  plan.parts = parts();
}

// The variant, and the granules per lane of rows in registers.
inline void choose_variant(row_plan& plan, const plan_request& request) {
  const row_problem& problem = plan.problem;
  const int lanes = plan.shape.lanes;
  const int held_vectors =
      held_kernel_vectors(ceil_div(problem.cols, problem.granule), lanes, problem.granule, problem.shape_class());
  const int most_vectors =
      lanes > 32 ? row_tuning::max_vectors : max_warp_vectors(problem.granule, problem.shape_class());
  plan.variant = request.reread ? row_variant::reread : row_variant::staged;
  plan.reason = not_held_reason(plan, request, held_vectors, most_vectors);
  if (plan.reason == plan_reason::none) {
    plan.variant = row_variant::held;
    plan.reason = plan_reason::row_fits_registers;
    plan.vectors = held_vectors;
  } else if (plan.reason == plan_reason::row_is_not_folded) {
    choose_parts(plan, request.lanes);
  } else if (plan.reason == plan_reason::row_is_folded_once && is_power_of_two(lanes)) {
    plan.variant = row_variant::streamed;
    plan.vectors = row_tuning::streamed_vectors;
  } else if (plan.reason == plan_reason::row_is_folded_once) {
    plan.reason = plan_reason::no_kernel_for_whole_granules;
  }
  if (problem.accumulate_bytes == 8 && plan.access == row_access::whole) {
    plan.access = row_access::any;  // which serves whole granules, too
    plan.access_reason = plan_reason::double_has_one_variant;
  }
  if (problem.passes() == 1 && plan.variant != row_variant::streamed && plan.access == row_access::whole) {
    plan.access = row_access::any;  // what is not streamed has this one kernel
    plan.access_reason = plan.reason;
  }
}

// Threads of a block with several rows, where the caller does not say.
inline int shared_block_threads(const row_plan& plan) {
  if (plan.variant == row_variant::streamed && plan.problem.folds_nothing()) return row_tuning::part_block_threads;
  if (plan.variant != row_variant::held) return row_tuning::staged_block_threads;
  const bool small =
      row_bytes(plan.problem) * (row_tuning::shared_block_threads / plan.shape.lanes) < row_tuning::least_block_bytes;
  return small || plan.vectors == 2 || plan.problem.shape_class() == fold_class::softmax
             ? row_tuning::more_shared_block_threads
             : row_tuning::shared_block_threads;
}

// Threads of a block.
inline void choose_block(row_plan& plan, int block_threads) {
  const int lanes = plan.shape.lanes;
  if (lanes > 32) {
    plan.block_threads = static_cast<unsigned>(lanes);
    plan.rows_per_block = 1;
    return;
  }
  const int threads = block_threads != 0 ? block_threads : shared_block_threads(plan);
  plan.block_threads = static_cast<unsigned>(threads);
  plan.rows_per_block = threads / lanes;
}

// Whether a block asks for its row's parameters before the folds: row_tuning::early_bytes.
inline bool wants_early_parameters(const row_plan& plan, bool late) {
  const row_problem& problem = plan.problem;
  if (problem.spaced_columns || plan.variant != row_variant::held || plan.shape.lanes <= 32) return false;
  int bytes = 0;  // of the parameters of a granule
  for (int i = 0; i < problem.operand_count; ++i) {
    const operand& o = problem.operands[i];
    if (o.kind == operand_kind::parameter && !o.in_every_pass) bytes += o.element_bytes * problem.granule;
  }
  if (bytes == 0) return false;
  const int granules = problem.cols / problem.granule;
  if (always_early(bytes, problem.maps_in_fold, problem.granule)) return true;
  if (!late_kernel_serves(granules, plan.shape.lanes, problem.granule, problem.shape_class())) return true;
  if (late) return false;
  const std::int64_t read_bytes = static_cast<std::int64_t>(problem.granule_bytes()) * granules;
  return read_bytes == 0 || problem.rows <= row_tuning::small_call_bytes / read_bytes;
}

// The L2 priority of rows that are read into registers. Where none are stored, it would change nothing.
inline l2_priority choose_priority(const row_plan& plan, const device_info& device, bool always_normal) {
  const bool in_registers = plan.variant == row_variant::held || plan.variant == row_variant::streamed;
  const bool counts = in_registers && plan.problem.stores_rows && !plan.problem.spaced_columns;
  return counts ? input_priority(plan.minimal_bytes, device, always_normal) : l2_priority::normal;
}

// What make_row_plan finds, into a plan that has but its problem.
template <bool SpacedColumns>
void fill_row_plan(row_plan& plan, const device_info& device, const plan_request& request) {
  const row_problem& problem = plan.problem;
  if (problem.rows < 0) return refuse(plan, plan_reason::refused_rows);
  if (problem.cols < 0 || problem.cols > row_tuning::max_cols / problem.most_elements_per_column()) {
    return refuse(plan, plan_reason::refused_cols);
  }
  if (problem.fault != problem_fault::none) return refuse(plan, reason_of(problem.fault));
  if (problem.spaced_columns != SpacedColumns) return refuse(plan, plan_reason::refused_column_spacing);
  if (problem.granule_bytes() == 0) return refuse(plan, plan_reason::refused_no_inputs);
  if (problem.cols != 0 && problem.rows > row_tuning::max_elements / problem.cols) {
    return refuse(plan, plan_reason::refused_too_many_rows);
  }
  for (int i = 0; i < problem.operand_count; ++i) {
    const long long inner = problem.operands[i].layout.inner;
    if (inner < 0 || (inner > 0 && problem.rows > row_layout::max_rows / inner)) {
      return refuse(plan, plan_reason::refused_layout, problem.operands[i].name);
    }
  }
  if (problem.rows == 0 || (problem.cols == 0 && !problem.writes_empty_rows)) {
    plan.status = plan_status::nothing;
    plan.reason = problem.rows == 0 ? plan_reason::no_rows : plan_reason::no_columns;
    return;
  }
  for (int i = 0; i < problem.operand_count; ++i) {
    const operand& o = problem.operands[i];
    if (o.misalignment % static_cast<unsigned>(o.element_bytes) != 0) {
      return refuse(plan, plan_reason::refused_misaligned_element, o.name);
    }
  }
  if ((request.lanes != 0 && !(legal_lanes(request.lanes) && request.lanes % problem.joined_granules == 0)) ||
      (request.block_threads != 0 && !legal_block_threads(request.block_threads))) {
    return refuse(plan, plan_reason::refused_request);
  }

  choose_access(plan, request.any_access);
  if (request.require_vectorized && plan.access != row_access::whole) {
    return refuse(plan, plan.access_reason, plan.operand);
  }
  const int cols = problem.cols == 0 ? 1 : problem.cols;
  int lanes = problem.folds_once() ? streamed_lanes(cols, problem.granule)
                                   : default_lanes(cols, problem.granule, problem.shape_class());
  if (lanes < problem.joined_granules) lanes = problem.joined_granules;
  plan.shape = {problem.granule, request.lanes != 0 ? request.lanes : lanes};
  plan.shape_is_default = problem.folds_nothing() || plan.shape.lanes == lanes;
  if constexpr (SpacedColumns) {
    const plan_reason refusal = plan_spaced_rows(plan, request);
    if (refusal != plan_reason::none) return refuse(plan, refusal);
  } else {
    choose_variant(plan, request);
    choose_block(plan, request.block_threads);
    if (!choose_shared(plan, device)) return refuse(plan, plan_reason::refused_request);
  }
  if (problem.cols == 0) plan.reason = plan_reason::no_columns;
  const std::int64_t blocks = (problem.rows * plan.parts - 1) / plan.rows_per_block + 1;
  if (blocks > row_tuning::max_grid_blocks) return refuse(plan, plan_reason::refused_too_many_rows);
  plan.grid_blocks = static_cast<unsigned>(blocks);
  plan.early_parameters = wants_early_parameters(plan, request.late_parameters);
  plan.minimal_bytes = minimal_bytes(problem);
  plan.input_priority = choose_priority(plan, device, request.normal_priority);
  plan.issued_bytes = issued_bytes(problem, plan);
  plan.status = plan_status::ready;
}

}  // namespace detail

// The plan for a problem: pure, so that it can be tested, printed and cached anywhere. `device` decides how much of a
// row fits into shared memory, and whether a call fits into L2. SpacedColumns: of rows whose columns lie apart, and of
// no others (the two share little, and a caller compiles what it needs).
template <bool SpacedColumns = false>
row_plan make_row_plan(const row_problem& problem, const device_info& device, const plan_request& request = {}) {
  row_plan plan;
  plan.problem = problem;
  detail::fill_row_plan<SpacedColumns>(plan, device, request);
  return plan;
}

// The launcher's view of a plan that the caller brings: it must have been made for this very problem, and say so.
inline row_plan check_row_plan(const row_plan& plan, const row_problem& problem) {
  const bool has_shape = plan.status != plan_status::ready || (plan.shape.lanes > 0 && plan.shape.granule > 0);
  if (plan.status == plan_status::refused || (plan.problem == problem && has_shape)) return plan;
  row_plan refused;
  refused.problem = problem;
  detail::refuse(refused, plan_reason::refused_plan_of_another_problem);
  return refused;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The planner's part on shared memory: how much of a row a block stages, and what it needs beside that.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/memory/stage_layout.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// Shared memory of one row's stages for `columns` columns: as row/granule_list.cuh lays them out.
inline std::int64_t row_stage_bytes(const row_problem& problem, std::int64_t columns) {
  std::int64_t bytes = 0;
  for (int i = 0; i < problem.operand_count; ++i) {
    const operand& o = problem.operands[i];
    if (o.kind != operand_kind::input) continue;
    bytes += stage_bytes(columns * o.elements_per_column, o.element_bytes);
  }
  return bytes;
}

// Shared memory, and how much of a row it holds. False if it does not even hold what the lanes fold at a time.
inline bool choose_shared(row_plan& plan, const device_info& device) {
  if (plan.variant == row_variant::held || plan.variant == row_variant::streamed) {
    plan.shared_bytes = plan.shape.lanes > 32 ? row_tuning::group_shared_bytes : 0;
    return true;
  }
  int widest = plan.problem.widest_output;
  for (int i = 0; i < plan.problem.operand_count; ++i) {
    const operand& o = plan.problem.operands[i];
    const int bytes = o.elements_per_column * o.element_bytes;
    if (o.kind == operand_kind::output && bytes > widest) widest = bytes;
  }
  const int tile_bytes = plan.access == row_access::any ? plan.shape.granule * widest : 0;
  const std::int64_t fixed =
      row_tuning::group_shared_bytes + static_cast<std::int64_t>(plan.block_threads) * tile_bytes;
  const std::int64_t available =
      device.shared_bytes_per_block != 0 ? device.shared_bytes_per_block : row_tuning::least_shared_bytes;
  const std::int64_t most = (available - fixed) / plan.rows_per_block;
  // Nothing reads a row again that is gone through once: it is staged as a whole only if it is small.
  const bool reads_once = plan.problem.passes() == 1;
  const std::int64_t wanted =
      (reads_once ? row_tuning::streamed_stage_bytes : row_tuning::reread_stage_bytes) / plan.rows_per_block;
  const int granule = plan.shape.granule;
  const std::int64_t row_columns = static_cast<std::int64_t>(ceil_div(plan.problem.cols, granule)) * granule;
  if (plan.variant == row_variant::staged &&
      row_stage_bytes(plan.problem, row_columns) > (reads_once && wanted < most ? wanted : most)) {
    plan.variant = row_variant::reread;
    if (!reads_once) plan.reason = plan_reason::row_too_wide_for_shared_memory;
  }
  const int step = plan.shape.lanes * granule;
  if (plan.variant == row_variant::reread && row_columns <= step) plan.variant = row_variant::staged;  // one part
  plan.stage_columns = static_cast<int>(row_columns);
  if (plan.variant == row_variant::reread) {
    const std::int64_t in_parts = (wanted < most ? wanted : most) / row_stage_bytes(plan.problem, step);
    // A row that would fit is read again only where that was asked for: in two parts at least.
    const std::int64_t half = row_columns / step / 2;
    const std::int64_t steps = in_parts < half ? in_parts : half;
    plan.stage_columns = static_cast<int>((steps < 1 ? 1 : steps) * step);
  }
  const std::int64_t bytes = fixed + plan.rows_per_block * row_stage_bytes(plan.problem, plan.stage_columns);
  plan.shared_bytes = static_cast<unsigned>(bytes);
  return bytes <= available;
}

}  // namespace detail
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

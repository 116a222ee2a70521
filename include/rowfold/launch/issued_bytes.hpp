// SPDX-License-Identifier: MIT
// How many bytes a plan's kernel moves: the fewest that the op can do with, and what the kernel's loads and stores add
// up to. Exact, for every address and stride; the tests count the accesses of the kernels and compare.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/row_kernels.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/row/granule_size.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// Columns that a group without a row, in the last block, loads of a parameter: kernels that hold whole granules do not
// ask whether a granule exists that every lane of a group with a row has (row/held_row.cuh).
inline std::int64_t idle_parameter_columns(const row_plan& plan) {
  if (plan.variant != row_variant::held) return 0;
  const std::int64_t lane_columns = static_cast<std::int64_t>(plan.shape.lanes) * plan.shape.granule;
  int spare = 1;
  if (!plan.problem.spaced_columns) {
    const bool all_full = fills_four_lanes(plan.problem.cols, plan.shape.lanes, plan.shape.granule);
    spare = all_full ? 0 : warp_held_kernel(plan.vectors, plan.shape.granule, plan.problem.shape_class()).spare;
  }
  return lane_columns * (plan.vectors - spare);
}

// Passes in which the map is applied: the last one, and a fold over what it makes, where that is not kept
// (row/kept_results.cuh).
inline int map_passes(const row_plan& plan) {
  const bool kept =
      plan.variant == row_variant::held && !plan.problem.spaced_columns && plan.vectors <= max_unpacked_vectors;
  return plan.problem.maps_in_fold && !kept ? 2 : 1;
}

// How many of an input's rows are not the same memory as another one because of a stride of 0.
inline std::int64_t distinct_rows(const row_layout& layout, std::int64_t rows) {
  if (layout.inner == 0 || rows <= layout.inner) return layout.inner_stride == 0 && rows > 0 ? 1 : rows;
  const std::int64_t groups = layout.outer_stride == 0 ? 1 : (rows - 1) / layout.inner + 1;
  if (layout.inner_stride == 0) return groups;
  return layout.outer_stride == 0 ? layout.inner : rows;
}

}  // namespace detail

// Each input and parameter once, each output and statistic once.
inline std::int64_t minimal_bytes(const row_problem& problem) {
  std::int64_t bytes = 0;
  for (int i = 0; i < problem.operand_count; ++i) {
    const operand& o = problem.operands[i];
    const std::int64_t rows = o.kind == operand_kind::parameter ? o.vectors
                              : o.kind == operand_kind::input || o.kind == operand_kind::lane_value
                                  ? detail::distinct_rows(o.layout, problem.rows)
                                  : problem.rows;
    const std::int64_t cols = has_one_column(o.kind) ? 1 : problem.cols;
    bytes += rows * cols * o.elements_per_column * o.element_bytes;
  }
  return bytes;
}

// What one row takes in and gives out, the parameters apart.
inline std::int64_t row_bytes(const row_problem& problem) {
  std::int64_t bytes = 0;
  for (int i = 0; i < problem.operand_count; ++i) {
    const operand& o = problem.operands[i];
    if (o.kind == operand_kind::parameter) continue;
    bytes +=
        static_cast<std::int64_t>(has_one_column(o.kind) ? 1 : problem.cols) * o.elements_per_column * o.element_bytes;
  }
  return bytes;
}

// What operand `o` adds to the plan's issued bytes.
inline std::int64_t issued_bytes(const row_problem& problem, const row_plan& plan, const operand& o) {
  const std::int64_t columns = has_one_column(o.kind) ? 1 : problem.cols;
  const std::int64_t exact = problem.rows * columns * o.elements_per_column * o.element_bytes;
  const int all_passes = problem.passes();
  const std::int64_t firsts = problem.loads_first && problem.cols > 0 ? problem.rows * plan.shape.lanes : 0;
  const std::int64_t first = firsts * o.elements_per_column * o.element_bytes;
  switch (o.kind) {
    case operand_kind::input: {
      const int passes = plan.variant == row_variant::reread ? all_passes : 1;
      const std::int64_t picks = problem.cols > 0 ? problem.rows * problem.picks : 0;
      return exact * passes + first + picks * o.elements_per_column * o.element_bytes;
    }
    case operand_kind::parameter: {
      const std::int64_t idle = static_cast<std::int64_t>(plan.grid_blocks) * plan.rows_per_block - problem.rows;
      const int source_passes = plan.variant == row_variant::held ? 1 : all_passes;
      const int passes = o.in_every_pass ? source_passes : detail::map_passes(plan);
      return exact * passes + (o.in_every_pass ? first : 0) +
             idle * passes * detail::idle_parameter_columns(plan) * o.element_bytes;
    }
    case operand_kind::output:
      return exact;
    case operand_kind::statistic:
      return problem.rows * o.elements_per_column * o.element_bytes;
    case operand_kind::row_value:
      return problem.rows * plan.parts * o.elements_per_column * o.element_bytes;
    case operand_kind::lane_value:
      return problem.rows * plan.parts * plan.shape.lanes * o.element_bytes;
  }
  return 0;
}

// All loads and stores of the kernel, in bytes, caches ignored.
inline std::int64_t issued_bytes(const row_problem& problem, const row_plan& plan) {
  std::int64_t bytes = 0;
  for (int i = 0; i < problem.operand_count; ++i) bytes += issued_bytes(problem, plan, problem.operands[i]);
  return bytes;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

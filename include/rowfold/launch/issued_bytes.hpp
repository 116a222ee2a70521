// SPDX-License-Identifier: MIT
// How many bytes a plan's kernel moves: the fewest that the op can do with, and what the kernel's loads and stores add
// up to. Exact, for every address and stride; the tests count the accesses of the kernels and compare.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// Bytes loaded for one row that starts `misalignment` bytes behind a multiple of 16: every column once, and one more word
// for each granule that starts within a word and lies inside the row (memory/granule.cuh).
inline std::int64_t loaded_row_bytes(const operand& o, int cols, int granule, unsigned misalignment) {
  const std::int64_t row_bytes = static_cast<std::int64_t>(cols) * o.element_bytes;
  const int shift = static_cast<int>(misalignment & 3u);
  if (granule * o.element_bytes < 4 || o.element_bytes >= 4 || shift == 0) return row_bytes;
  const int behind = (4 - shift) / o.element_bytes;  // elements of the last word that follow the granule
  const std::int64_t last = static_cast<std::int64_t>(cols) - granule - behind;
  const std::int64_t shifted_granules = last < granule ? 0 : last / granule;  // not the first one
  return row_bytes + shifted_granules * 4;
}

// The sum of loaded_row_bytes over `rows` rows that start `stride` bytes apart, the first one at `misalignment`.
inline std::int64_t loaded_bytes(const operand& o, int cols, int granule, std::int64_t rows, std::int64_t stride,
                                 std::int64_t misalignment) {
  const unsigned step = static_cast<unsigned>(stride & 15);
  unsigned at = static_cast<unsigned>(misalignment & 15);
  std::int64_t bytes = 0;
  for (int i = 0; i < 16 && i < rows; ++i) {  // misalignment repeats every 16 rows at the latest
    const std::int64_t same = (rows - 1 - i) / 16 + 1;
    bytes += same * loaded_row_bytes(o, cols, granule, at);
    at = (at + step) & 15u;
  }
  return bytes;
}

// The same over all rows of an input.
inline std::int64_t loaded_bytes(const operand& o, const row_problem& problem) {
  const row_layout& layout = o.layout;
  const std::int64_t inner_stride = (layout.inner_stride & 15) * o.element_bytes;  // modulo 16 is all that counts
  const std::int64_t inner = layout.inner == 0 ? problem.rows : layout.inner;
  const std::int64_t outer_stride = (layout.outer_stride & 15) * o.element_bytes;
  const std::int64_t groups = problem.rows / inner;
  std::int64_t bytes = 0;
  for (int i = 0; i < 16 && i < groups; ++i) {  // as above, one group for each misalignment
    const std::int64_t same = (groups - 1 - i) / 16 + 1;
    bytes += same * loaded_bytes(o, problem.cols, problem.granule, inner, inner_stride,
                                 o.misalignment + ((outer_stride & 15) * i));
  }
  const std::int64_t rest_at = o.misalignment + (outer_stride & 15) * (groups & 15);
  return bytes + loaded_bytes(o, problem.cols, problem.granule, problem.rows % inner, inner_stride, rest_at);
}

// Columns that a group without a row, in the last block, loads of a parameter: kernels that hold whole granules do not
// ask whether a granule exists that every lane of a group with a row has (row/row_data.cuh).
inline std::int64_t idle_parameter_columns(const row_plan& plan) {
  if (plan.variant == row_variant::reread) return 0;
  const std::int64_t lane_columns = static_cast<std::int64_t>(plan.shape.lanes) * plan.shape.granule;
  const bool all_full = plan.problem.cols == plan.vectors * lane_columns && plan.shape.lanes == 4 &&
                        plan.vectors == 2 && !has_wide_elements(plan.shape.granule);  // the kernel of four lanes
  return lane_columns * (all_full ? plan.vectors : plan.vectors - 1);
}

}  // namespace detail

// Each input and parameter once, each output and statistic once.
inline std::int64_t minimal_bytes(const row_problem& problem) {
  std::int64_t bytes = 0;
  for (int i = 0; i < problem.operand_count; ++i) {
    const operand& o = problem.operands[i];
    const std::int64_t rows = o.kind == operand_kind::parameter ? 1 : problem.rows;
    const std::int64_t cols = o.kind == operand_kind::statistic ? 1 : problem.cols;
    bytes += rows * cols * o.element_bytes;
  }
  return bytes;
}

// What operand `o` adds to the plan's issued bytes.
inline std::int64_t issued_bytes(const row_problem& problem, const row_plan& plan, const operand& o) {
  const std::int64_t exact = problem.rows * problem.cols * o.element_bytes;
  switch (o.kind) {
    case operand_kind::input: {
      const std::int64_t pass = plan.access == row_access::whole ? exact : detail::loaded_bytes(o, problem);
      const int passes = plan.variant == row_variant::held ? 1 : problem.fold_passes + 1;
      const std::int64_t first = problem.loads_first ? problem.rows * plan.shape.lanes * o.element_bytes : 0;
      return pass * passes + first;
    }
    case operand_kind::parameter: {
      if (plan.access == row_access::any) {
        return problem.rows * detail::loaded_row_bytes(o, problem.cols, problem.granule, o.misalignment);
      }
      const std::int64_t idle = static_cast<std::int64_t>(plan.grid_blocks) * plan.rows_per_block - problem.rows;
      return exact + idle * detail::idle_parameter_columns(plan) * o.element_bytes;
    }
    case operand_kind::output:
      return exact;
    case operand_kind::statistic:
      return problem.rows * o.element_bytes;
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

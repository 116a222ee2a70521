// SPDX-License-Identifier: MIT
// Row plans as text: one line for tables and labels, a paragraph for people. A header of its own, since it needs
// <string>; nothing that launches includes it.
#pragma once

#include <string>

#include "rowfold/config.hpp"
#include "rowfold/launch/priority_string.hpp"
#include "rowfold/launch/row_plan.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Why, as words that follow a colon.
inline const char* to_text(plan_reason reason) {
  switch (reason) {
    case plan_reason::none:
      return "no reason recorded";
    case plan_reason::row_fits_registers:
      return "the row fits in the registers of its lanes";
    case plan_reason::row_is_folded_once:
      return "the row is folded once and not stored";
    case plan_reason::row_is_not_folded:
      return "nothing of the row is folded";
    case plan_reason::row_too_wide_for_registers:
      return "the row does not fit in the registers of a block";
    case plan_reason::row_too_wide_for_shared_memory:
      return "the row does not fit in the shared memory of a block";
    case plan_reason::row_not_aligned:
      return "not every granule is aligned and complete";
    case plan_reason::parameter_is_null:
      return "a parameter that could be there is null (of the type absent it would not be asked for)";
    case plan_reason::double_has_one_variant:
      return "double is a checking type and has one variant";
    case plan_reason::asked_for:
      return "asked for by the caller";
    case plan_reason::no_kernel_for_whole_granules:
      return "no kernel for whole granules has this number of lanes";
    case plan_reason::no_rows:
      return "there are no rows";
    case plan_reason::no_columns:
      return "there are no columns";
    case plan_reason::refused_rows:
      return "the number of rows is negative";
    case plan_reason::refused_cols:
      return "the number of columns is negative or too large";
    case plan_reason::refused_eps:
      return "eps is negative, infinite or not a number";
    case plan_reason::refused_option:
      return "an option is out of its range";
    case plan_reason::refused_no_columns:
      return "a row without columns has no smallest and no largest element";
    case plan_reason::refused_null_pointer:
      return "the input or the output is a null pointer";
    case plan_reason::refused_misaligned_random:
      return "the address of the seed or the offset on the device is not a multiple of 8";
    case plan_reason::refused_layout:
      return "its row layout has a negative number of inner rows, or too many for so many rows";
    case plan_reason::refused_misaligned_element:
      return "its address is not a multiple of its element's size";
    case plan_reason::refused_column_spacing:
      return "columns lie apart, and the planner was asked about rows whose columns do not, or the other way round";
    case plan_reason::refused_no_inputs:
      return "the op has no tensor of rows that it reads";
    case plan_reason::refused_too_many_operands:
      return "the op has more tensors than a problem can hold";
    case plan_reason::refused_too_many_rows:
      return "the rows do not fit in a grid";
    case plan_reason::refused_misaligned_pointer:
      return "its address is not a multiple of 16 bytes";
    case plan_reason::refused_misaligned_stride:
      return "its row stride is not a multiple of 16 bytes";
    case plan_reason::refused_partial_granule:
      return "the number of columns is not a multiple of a 16-byte granule";
    case plan_reason::refused_request:
      return "the requested lanes, threads or variant are not possible";
    case plan_reason::refused_joined_lanes:
      return "lanes work together within a warp, which rows whose columns lie apart do not have";
    case plan_reason::refused_plan_of_another_problem:
      return "the plan was made for other arguments";
    case plan_reason::refused_kernel_left_out:
      return "the kernel for such rows is not compiled: only_columns leaves it out";
  }
  return "unknown";
}

// The plan in one line: "held/whole 32 lanes x 4, 64 threads, 131072 blocks".
inline std::string to_label(const row_plan& plan) {
  if (plan.status == plan_status::refused) return std::string("refused: ") + to_text(plan.reason);
  if (plan.status == plan_status::nothing) return std::string("nothing: ") + to_text(plan.reason);
  if (plan.status == plan_status::unset) return "unset";
  return std::string(plan.variant == row_variant::held       ? "held"
                     : plan.variant == row_variant::streamed ? "streamed"
                     : plan.variant == row_variant::staged   ? "staged"
                                                             : "reread") +
         (plan.access == row_access::whole ? "/whole " : "/any ") + std::to_string(plan.shape.lanes) + " lanes" +
         (plan.vectors != 0 ? " x " + std::to_string(plan.vectors) : std::string()) + ", " +
         std::to_string(plan.block_threads) + " threads, " +
         (plan.rows_per_thread > 1 ? std::to_string(plan.rows_per_thread) + " rows each, " : std::string()) +
         std::to_string(plan.grid_blocks) + " blocks" + detail::priority_text(plan.input_priority);
}

// The plan, what it was made for and why, in a few lines.
inline std::string to_string(const row_plan& plan) {
  const row_problem& problem = plan.problem;
  std::string text = std::string(problem.op) + " of " + std::to_string(problem.rows) + " rows x " +
                     std::to_string(problem.cols) + " columns\n";
  const std::string operand = plan.operand[0] != '\0' ? std::string(plan.operand) + ": " : std::string();
  if (plan.status == plan_status::unset) return text + "  no plan has been made\n";
  if (plan.status == plan_status::refused && plan.reason == plan_reason::refused_kernel_left_out) {
    return text + "  refused: " + to_text(plan.reason) +
           (plan.access == row_access::any ? " (" + operand + to_text(plan.access_reason) + ")" : std::string()) + "\n";
  }
  if (plan.status != plan_status::ready) {
    return text +
           (plan.status == plan_status::refused ? "  refused: " + operand : std::string("  nothing to launch: ")) +
           to_text(plan.reason) + "\n";
  }
  const bool parts_in_registers = plan.variant == row_variant::reread && problem.spaced_columns;
  text += "  variant: " +
          (parts_in_registers                      ? std::string("rows read again in each pass")
           : plan.variant == row_variant::held     ? std::string("rows held in registers")
           : plan.variant == row_variant::streamed ? std::string("rows read once and not kept")
           : plan.variant == row_variant::staged
               ? std::string("rows staged in shared memory")
               : (problem.passes() == 1 ? "rows brought to shared memory, " : "rows read again in each pass, ") +
                     std::to_string(plan.stage_columns) + " columns at a time") +
          ": " + to_text(plan.reason) + "\n";
  text += std::string("  access: ") +
          (!problem.spaced_columns    ? ""
           : plan.rows_per_thread > 1 ? "neighbouring rows side by side, two in a thread; "
                                      : "neighbouring rows side by side; ") +
          (plan.access == row_access::whole && problem.spaced_columns
               ? std::string("every granule is complete, and those of parameters are aligned")
           : plan.access == row_access::whole
               ? std::string("16-byte vectors: every granule of every tensor is aligned and complete")
               : "any address: " + operand + to_text(plan.access_reason)) +
          "\n";
  text += "  fold shape: granules of " + std::to_string(plan.shape.granule) + " columns, " +
          std::to_string(plan.shape.lanes) + " lanes" +
          (plan.shape_is_default ? "" : " (changed by the caller: other bits than by default)") +
          (plan.vectors != 0 ? ", up to " + std::to_string(plan.vectors) + " granules per lane" : std::string()) + "\n";
  if (plan.early_parameters) text += "  parameters: asked for early, all of a lane's together\n";
  text += detail::priority_line(plan.input_priority);
  text += "  launch: " + std::to_string(plan.grid_blocks) + " blocks of " + std::to_string(plan.block_threads) +
          " threads, " + std::to_string(plan.rows_per_block) + (plan.parts > 1 ? " parts of rows" : " rows") +
          " per block, " + std::to_string(plan.shared_bytes) + " bytes of shared memory\n";
  text += "  bytes: " + std::to_string(plan.minimal_bytes) + " at least, " + std::to_string(plan.issued_bytes) +
          " issued\n";
  return text;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Transpose plans as text: one line for tables and labels, a paragraph for people. A header of its own, since it needs
// <string>; nothing that launches includes it.
#pragma once

#include <string>

#include "rowfold/config.hpp"
#include "rowfold/launch/priority_string.hpp"
#include "rowfold/launch/transpose_plan.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Why, as words that follow a colon.
inline const char* to_text(transpose_reason reason) {
  switch (reason) {
    case transpose_reason::none:
      return "nothing is wrong";
    case transpose_reason::no_matrices:
      return "there are no matrices";
    case transpose_reason::no_rows:
      return "there are no rows";
    case transpose_reason::no_columns:
      return "there are no columns";
    case transpose_reason::misaligned_address:
      return "its address is not a multiple of 16 bytes";
    case transpose_reason::misaligned_row_stride:
      return "its row stride is not a multiple of 16 bytes";
    case transpose_reason::misaligned_batch_stride:
      return "its batch stride is not a multiple of 16 bytes";
    case transpose_reason::partial_vector:
      return "the length of its rows is not a multiple of 16 bytes";
    case transpose_reason::refused_sizes:
      return "a size is negative, or there are too many elements";
    case transpose_reason::refused_too_many_tiles:
      return "the tiles do not fit in a grid";
    case transpose_reason::refused_null_pointer:
      return "the input or the output is a null pointer";
    case transpose_reason::refused_same_memory:
      return "input and output are the same memory";
    case transpose_reason::refused_element_address:
      return "its address is not a multiple of the element's size";
    case transpose_reason::refused_request:
      return "the requested band is not possible";
  }
  return "unknown";
}

// The plan in one line: "tiles of 64 x 64, 16 byte loads, 16 byte stores, 256 threads, 65536 blocks".
inline std::string to_label(const transpose_plan& plan) {
  if (plan.status == plan_status::refused) return std::string("refused: ") + to_text(plan.reason);
  if (plan.status == plan_status::nothing) return std::string("nothing: ") + to_text(plan.reason);
  if (plan.status == plan_status::unset) return "unset";
  return "tiles of " + std::to_string(plan.tile_rows) + " x " + std::to_string(plan.tile_cols) + ", " +
         std::to_string(plan.x_access) + " byte loads, " + std::to_string(plan.y_access) + " byte stores, " +
         std::to_string(plan.block_threads) + " threads, " + std::to_string(plan.grid_blocks) + " blocks" +
         detail::priority_text(plan.input_priority);
}

// The plan, what it was made for and why, in a few lines.
inline std::string to_string(const transpose_plan& plan) {
  const transpose_problem& problem = plan.problem;
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  std::string text = "transpose of " + number(problem.batch) + " matrices of " + number(problem.rows) + " rows x " +
                     number(problem.cols) + " columns of " + number(problem.element_bytes) + " bytes\n";
  const std::string operand = plan.operand[0] != '\0' ? std::string(plan.operand) + ": " : std::string();
  if (plan.status == plan_status::unset) return text + "  no plan has been made\n";
  if (plan.status != plan_status::ready) {
    return text +
           (plan.status == plan_status::refused ? "  refused: " + operand : std::string("  nothing to launch: ")) +
           to_text(plan.reason) + "\n";
  }
  const auto access = [&](const char* name, int bytes, transpose_reason reason) {
    const std::string why = reason == transpose_reason::none ? "" : std::string(": ") + to_text(reason);
    return std::string("  ") + name + ": " + number(bytes) + " bytes at a time" + why + "\n";
  };
  text += access("x", plan.x_access, plan.x_reason) + access("y", plan.y_access, plan.y_reason);
  text += "  tiles: " + number(plan.tile_rows) + " x " + number(plan.tile_cols) + " elements, in bands of " +
          number(plan.band) + "\n";
  text += "  launch: " + number(plan.grid_blocks) + " blocks of " + number(plan.block_threads) + " threads, " +
          number(plan.shared_bytes) + " bytes of shared memory\n";
  text += detail::priority_line(plan.input_priority);
  text += "  bytes: " + number(plan.minimal_bytes) + " at least, " + number(plan.issued_bytes) + " issued\n";
  return text;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

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

// Which kernel, as an adjective of its tiles.
inline const char* to_text(transpose_variant variant) {
  switch (variant) {
    case transpose_variant::none:
      return "no";
    case transpose_variant::aligned:
      return "aligned";
    case transpose_variant::skewed:
      return "skewed";
    case transpose_variant::large_skewed:
      return "large skewed";
  }
  return "unknown";
}

// The plan in one line: "aligned tiles of 64 x 64, 256 threads, 65536 blocks".
inline std::string to_label(const transpose_plan& plan) {
  if (plan.status == plan_status::refused) return std::string("refused: ") + to_text(plan.reason);
  if (plan.status == plan_status::nothing) return std::string("nothing: ") + to_text(plan.reason);
  if (plan.status == plan_status::unset) return "unset";
  return std::string(to_text(plan.variant)) + " tiles of " + std::to_string(plan.tile_rows) + " x " +
         std::to_string(plan.tile_cols) + ", " + std::to_string(plan.block_threads) + " threads, " +
         std::to_string(plan.grid_blocks) + " blocks" + detail::priority_text(plan.input_priority);
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
  const auto rows_of = [](const char* name, transpose_reason reason, bool joined) {
    return std::string("  ") + name + ": rows of " +
           (reason == transpose_reason::none ? std::string("whole vectors")
                                             : std::string("any kind: ") + to_text(reason)) +
           (joined ? "; loaded in whole vectors across their ends\n" : "\n");
  };
  text += rows_of("x", plan.x_reason, plan.joined_rows) + rows_of("y", plan.y_reason, false);
  text += std::string("  ") + to_text(plan.variant) + " tiles: " + number(plan.tile_rows) + " x " +
          number(plan.tile_cols) + " elements, in bands of " + number(plan.band);
  if (plan.rows_above != 0) text += ", each loading " + number(plan.rows_above) + " rows of the tile above";
  text += "\n";
  text += "  launch: " + number(plan.grid_blocks) + " blocks of " + number(plan.block_threads) + " threads, " +
          number(plan.shared_bytes) + " bytes of shared memory\n";
  text += detail::priority_line(plan.input_priority);
  text += "  bytes: " + number(plan.minimal_bytes) + " at least, " + number(plan.issued_bytes) + " issued\n";
  return text;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

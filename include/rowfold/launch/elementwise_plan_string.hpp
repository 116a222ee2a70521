// SPDX-License-Identifier: MIT
// Plans of elementwise ops as text: one line for tables and labels, a paragraph for people. A header of its own, since
// it needs <string>; nothing that launches includes it.
#pragma once

#include <string>

#include "rowfold/config.hpp"
#include "rowfold/launch/elementwise_plan.hpp"
#include "rowfold/launch/priority_string.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Why, as words that follow a colon.
inline const char* to_text(elementwise_reason reason) {
  switch (reason) {
    case elementwise_reason::none:
      return "no reason recorded";
    case elementwise_reason::in_phase:
      return "all tensors are aligned after equally many elements";
    case elementwise_reason::out_of_phase:
    case elementwise_reason::refused_out_of_phase:
      return "it is aligned after another number of elements than the tensors before it";
    case elementwise_reason::asked_for:
      return "asked for by the caller";
    case elementwise_reason::no_elements:
      return "there are no elements";
    case elementwise_reason::refused_count:
      return "the number of elements is negative";
    case elementwise_reason::refused_too_many_elements:
      return "the elements do not fit in a grid";
    case elementwise_reason::refused_null_pointer:
      return "it is a null pointer";
    case elementwise_reason::refused_misaligned_element:
      return "its address is not a multiple of its element's size";
    case elementwise_reason::refused_overlap:
      return "it overlaps another tensor and is not the same one, element for element";
    case elementwise_reason::refused_plan_of_another_problem:
      return "the plan was made for other arguments";
  }
  return "unknown";
}

namespace detail {
inline std::string with_tensor(const elementwise_plan& plan) {
  return (plan.tensor[0] != '\0' ? std::string(plan.tensor) + ": " : std::string()) + to_text(plan.reason);
}
}  // namespace detail

// The plan in one line: "vectors of 8 elements x 2, 128 threads, 131072 blocks".
inline std::string to_label(const elementwise_plan& plan) {
  if (plan.status == plan_status::refused) return "refused: " + detail::with_tensor(plan);
  if (plan.status == plan_status::nothing) return "nothing: " + detail::with_tensor(plan);
  if (plan.status == plan_status::unset) return "unset";
  return (plan.access == elementwise_access::vectors ? "vectors of " + std::to_string(plan.granule) + " elements"
                                                     : std::string("elements")) +
         " x " + std::to_string(plan.whole_blocks > 0 ? plan.vectors : 1) + ", " + std::to_string(plan.block_threads) +
         " threads, " + std::to_string(plan.grid_blocks) + " blocks" + detail::priority_text(plan.input_priority);
}

// The plan, what it was made for and why, in a few lines.
inline std::string to_string(const elementwise_plan& plan) {
  std::string text = "elementwise over " + std::to_string(plan.problem.count) + " elements of " +
                     std::to_string(plan.problem.tensor_count) + " tensors\n";
  if (plan.status == plan_status::unset) return text + "  no plan has been made\n";
  if (plan.status != plan_status::ready) {
    return text + (plan.status == plan_status::refused ? "  refused: " : "  nothing to launch: ") +
           detail::with_tensor(plan) + "\n";
  }
  const bool vectors = plan.access == elementwise_access::vectors;
  text += std::string("  access: ") + (vectors ? "vectors of up to 16 bytes: " : "one element at a time: ") +
          detail::with_tensor(plan) + "\n";
  if (vectors) {
    text += "  elements: " + std::to_string(plan.granules) + " granules of " + std::to_string(plan.granule) + ", " +
            std::to_string(plan.head) + " elements before them and " + std::to_string(plan.tail) + " behind\n";
  }
  text += "  launch: " + std::to_string(plan.grid_blocks) + " blocks of " + std::to_string(plan.block_threads) +
          " threads: " + std::to_string(plan.whole_blocks) + " with " + std::to_string(plan.vectors) +
          (vectors ? " granules" : " elements") + " a thread, the others with one\n";
  text += detail::priority_line(plan.input_priority);
  text += "  bytes: " + std::to_string(plan.minimal_bytes) + " at least, " + std::to_string(plan.issued_bytes) +
          " issued\n";
  return text;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

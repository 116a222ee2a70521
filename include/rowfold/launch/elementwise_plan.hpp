// SPDX-License-Identifier: MIT
// What will be launched for an elementwise op, and why: plain values, and the pure function that makes the plan.
//
// Elements move in granules: as many as make 16 bytes of the widest type, so that each tensor's part of a granule is
// one access, of 16 bytes or, where the type is narrower, of 8 or 4. (Next to elements of 8 bytes, a granule has 4
// bytes of 8-bit elements, and then two accesses of the wide ones.) That works at any address as long as the tensors
// are in phase: after the same number of elements, the head, every one of them is aligned to its accesses. Head and
// tail (what is left after the last granule) are a handful of elements, moved one by one. Tensors out of phase have no
// common granule; then every element moves by itself, neighbouring threads at neighbouring elements, several of each
// thread's on their way at once.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/input_priority.hpp"
#include "rowfold/launch/plan_status.hpp"
#include "rowfold/ptx/l2_priority.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

enum class elementwise_access {
  vectors,   // whole granules, but for head and tail
  elements,  // one access for each element
};

// Why a plan is what it is. Where it speaks of a tensor, elementwise_plan::tensor names it.
enum class elementwise_reason {
  none,
  in_phase,
  out_of_phase,
  asked_for,
  no_elements,
  refused_count,
  refused_too_many_elements,
  refused_null_pointer,
  refused_misaligned_element,
  refused_overlap,
  refused_out_of_phase,
  refused_plan_of_another_problem,
};

// One array of an elementwise op.
struct elementwise_tensor {
  const char* name = "";  // a string literal: "first input", ...
  int element_bytes = 0;
  unsigned misalignment = 0;  // address modulo 16

  friend constexpr bool operator==(const elementwise_tensor& a, const elementwise_tensor& b) {
    return a.element_bytes == b.element_bytes && a.misalignment == b.misalignment;
  }
};

// Everything that the plan depends on, and no pointer. Two calls with equal problems get equal plans.
struct elementwise_problem {
  static constexpr int max_tensors = 6;  // 4 inputs and 2 outputs
  // No memory holds as many; below it, counts of bytes fit 63 bits.
  static constexpr std::int64_t max_count = std::int64_t{1} << 52;

  std::int64_t count = 0;
  int granule = 1;                // elements that move at a time, with access `vectors`
  int vectors = 1;                // granules of a thread, with access `vectors`
  int elements = 1;               // elements of a thread, with access `elements`
  int block_threads = 0;          // this and the two before it: compiled into the kernels (elementwise_tuning)
  std::int64_t min_granules = 0;  // fewer of them go one to a thread
  elementwise_reason fault = elementwise_reason::none;
  const char* fault_tensor = "";
  int tensor_count = 0;
  elementwise_tensor tensors[max_tensors] = {};

  friend constexpr bool operator==(const elementwise_problem& a, const elementwise_problem& b) {
    bool equal = a.count == b.count && a.granule == b.granule && a.vectors == b.vectors && a.elements == b.elements &&
                 a.block_threads == b.block_threads && a.min_granules == b.min_granules && a.fault == b.fault &&
                 a.tensor_count == b.tensor_count;
    for (int i = 0; equal && i < a.tensor_count; ++i) equal = a.tensors[i] == b.tensors[i];
    return equal;
  }
  friend constexpr bool operator!=(const elementwise_problem& a, const elementwise_problem& b) { return !(a == b); }
};

struct elementwise_plan {
  plan_status status = plan_status::unset;
  elementwise_reason reason = elementwise_reason::none;  // of the access, or why nothing or refused
  const char* tensor = "";                               // the tensor that the reason speaks of
  elementwise_access access = elementwise_access::vectors;
  int granule = 0;            // elements that a thread moves at a time: problem.granule, or 1
  std::int64_t granules = 0;  // of them, one after the other, after the head
  int head = 0;               // elements before the first granule
  int tail = 0;               // elements after the last one
  int vectors = 0;  // granules of a thread of the first whole_blocks blocks, all loaded before the first is used
  unsigned block_threads = 0;
  unsigned whole_blocks = 0;
  unsigned grid_blocks = 0;                          // whole_blocks, and after them blocks with one granule a thread
  l2_priority input_priority = l2_priority::normal;  // of what is read in granules
  std::int64_t minimal_bytes = 0;  // each input read once, each output written once: what speed is measured by
  std::int64_t issued_bytes = 0;   // what the kernel's loads and stores add up to
  elementwise_problem problem{};   // what the plan was made for

  friend constexpr bool operator==(const elementwise_plan& a, const elementwise_plan& b) {
    return a.status == b.status && a.reason == b.reason && a.access == b.access && a.granule == b.granule &&
           a.granules == b.granules && a.head == b.head && a.tail == b.tail && a.vectors == b.vectors &&
           a.block_threads == b.block_threads && a.whole_blocks == b.whole_blocks && a.grid_blocks == b.grid_blocks &&
           a.input_priority == b.input_priority && a.minimal_bytes == b.minimal_bytes &&
           a.issued_bytes == b.issued_bytes && a.problem == b.problem;
  }
  friend constexpr bool operator!=(const elementwise_plan& a, const elementwise_plan& b) { return !(a == b); }
};

// What a caller may ask of the planner. The default asks for nothing.
struct elementwise_request {
  bool elements = false;            // one access for each element, even where the tensors are in phase
  bool normal_priority = false;     // in L2, of what is read: also in calls larger than L2 (input_priority.hpp)
  bool require_vectorized = false;  // refuse, and say why, unless all but head and tail moves in granules
  bool programmatic = false;  // programmatic dependent launch: start while the previous kernel ends (sm_90 and up)
};

namespace detail {

constexpr elementwise_plan refuse(elementwise_plan plan, elementwise_reason reason, const char* tensor = "") {
  plan.status = plan_status::refused;
  plan.reason = reason;
  plan.tensor = tensor;
  return plan;
}

// The fewest elements after which every tensor is at a multiple of what its accesses move: of 16 bytes, or of its part
// of a granule where that is less. Or -1; then `out` is the first tensor that does not agree with those before it.
constexpr int common_head(const elementwise_problem& problem, int& out) {
  unsigned heads = (1u << problem.granule) - 1u;  // bit h: a head of h elements suits all tensors so far
  for (int i = 0; i < problem.tensor_count; ++i) {
    const elementwise_tensor& t = problem.tensors[i];
    const int bytes = problem.granule * t.element_bytes < 16 ? problem.granule * t.element_bytes : 16;
    for (int h = 0; h < problem.granule; ++h) {
      const unsigned behind = t.misalignment + static_cast<unsigned>(h * t.element_bytes);
      if (behind % static_cast<unsigned>(bytes) != 0) heads &= ~(1u << h);
    }
    if (heads == 0) {
      out = i;
      return -1;
    }
  }
  int head = 0;
  while ((heads >> head & 1u) == 0) ++head;
  return head;
}

}  // namespace detail

// The plan for a problem: pure, so that it can be tested, printed and cached anywhere. `device` decides whether a call
// fits into L2.
constexpr elementwise_plan make_elementwise_plan(const elementwise_problem& problem, const device_info& device,
                                                 const elementwise_request& request = {}) {
  constexpr std::int64_t max_grid_blocks = 0x7fffffff;
  elementwise_plan plan;
  plan.problem = problem;
  if (problem.count < 0) return detail::refuse(plan, elementwise_reason::refused_count);
  if (problem.count > elementwise_problem::max_count) {
    return detail::refuse(plan, elementwise_reason::refused_too_many_elements);
  }
  if (problem.count == 0) {
    plan.status = plan_status::nothing;
    plan.reason = elementwise_reason::no_elements;
    return plan;
  }
  if (problem.fault != elementwise_reason::none) return detail::refuse(plan, problem.fault, problem.fault_tensor);

  int out = 0;
  const int head = detail::common_head(problem, out);
  plan.reason = head >= 0 ? elementwise_reason::in_phase : elementwise_reason::out_of_phase;
  if (head < 0) plan.tensor = problem.tensors[out].name;
  if (head >= 0 && request.elements) plan.reason = elementwise_reason::asked_for;
  if (plan.reason != elementwise_reason::in_phase && request.require_vectorized) {
    return detail::refuse(plan, head < 0 ? elementwise_reason::refused_out_of_phase : elementwise_reason::asked_for,
                          plan.tensor);
  }
  if (plan.reason == elementwise_reason::in_phase) {
    plan.access = elementwise_access::vectors;
    plan.granule = problem.granule;
    plan.vectors = problem.vectors;
    plan.head = head < problem.count ? head : static_cast<int>(problem.count);
    plan.granules = (problem.count - plan.head) / problem.granule;
    plan.tail = static_cast<int>(problem.count - plan.head - plan.granules * problem.granule);
  } else {
    plan.access = elementwise_access::elements;
    plan.granule = 1;
    plan.vectors = problem.elements;
    plan.granules = problem.count;
  }

  const std::int64_t block_granules = static_cast<std::int64_t>(problem.block_threads) * plan.vectors;
  const std::int64_t whole_blocks = plan.granules < problem.min_granules ? 0 : plan.granules / block_granules;
  const std::int64_t rest = plan.granules - whole_blocks * block_granules;
  const std::int64_t blocks = whole_blocks + (rest + problem.block_threads - 1) / problem.block_threads;
  if (blocks > max_grid_blocks) return detail::refuse(plan, elementwise_reason::refused_too_many_elements);
  plan.block_threads = static_cast<unsigned>(problem.block_threads);
  plan.whole_blocks = static_cast<unsigned>(whole_blocks);
  plan.grid_blocks = blocks == 0 ? 1 : static_cast<unsigned>(blocks);  // head and tail alone need a block, too
  for (int i = 0; i < problem.tensor_count; ++i) plan.minimal_bytes += problem.count * problem.tensors[i].element_bytes;
  plan.issued_bytes = plan.minimal_bytes;  // every element of every tensor moves once, whatever the access
  if (plan.access == elementwise_access::vectors) {
    plan.input_priority = detail::input_priority(plan.minimal_bytes, device, request.normal_priority);
  }
  plan.status = plan_status::ready;
  return plan;
}

// The launcher's view of a plan that the caller brings: it must have been made for this very problem.
constexpr elementwise_plan check_elementwise_plan(const elementwise_plan& plan, const elementwise_problem& problem) {
  if (plan.status == plan_status::refused || plan.problem == problem) return plan;
  elementwise_plan refused;
  refused.problem = problem;
  return detail::refuse(refused, elementwise_reason::refused_plan_of_another_problem);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

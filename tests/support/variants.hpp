// SPDX-License-Identifier: MIT
// The kernels that a plan can choose for rows: asking for each of them, and telling which one it is.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "rowfold/launch/row_kernels.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "support/check.hpp"

namespace rowfold_test {

// Every kernel that a request can ask for, each as a placement with that request, and another block size.
template <class Placement>
std::vector<Placement> kernel_variants() {
  std::vector<Placement> list;
  const auto add = [&](const char* name, const rowfold::plan_request& request) {
    Placement where;
    where.name = name;
    where.request = request;
    list.push_back(where);
  };
  rowfold::plan_request request;
  request.any_access = true;
  add("any access", request);
  request.reread = true;
  add("any access, reread", request);
  request = {};
  request.reread = true;
  add("reread", request);
  request = {};
  request.staged = true;
  add("staged", request);
  request = {};
  request.late_parameters = true;
  add("late parameters", request);
  request = {};
  request.block_threads = 32;
  add("one warp a block", request);
  if (on_cpu) return list;
  request.block_threads = 512;
  add("large blocks", request);
  request = {};
  request.programmatic = true;
  add("programmatic", request);
  return list;
}

// Which of the library's kernels that store rows a plan runs: "warp 4", "staged any", ...
inline std::string kernel_of(const rowfold::row_plan& plan) {
  const bool whole = plan.access == rowfold::row_access::whole;
  if (plan.variant != rowfold::row_variant::held) return whole ? "staged whole" : "staged any";
  const rowfold::fold_shape& shape = plan.shape;
  if (rowfold::detail::fills_four_lanes(plan.problem.cols, shape.lanes, shape.granule)) return "four lanes";
  return (plan.shape.lanes > 32 ? "block " : "warp ") + std::to_string(plan.vectors) +
         (plan.early_parameters ? " early" : "");
}

// What a test collects of the kernels for rows in registers that it has seen: granules a lane, of a block and 10. Four
// lanes with 2 granules each are among those of 2.
inline int held_kernel_number(const rowfold::row_plan& plan) { return plan.vectors + (plan.shape.lanes > 32 ? 10 : 0); }

// All of them that ops with such a plan have.
inline std::set<int> all_held_kernels(const rowfold::row_plan& plan) {
  const bool few = plan.shape.granule <= 4 || plan.problem.shape_class() == rowfold::fold_class::softmax;
  if (few) return {2, 4, 14};
  if (plan.problem.shape_class() == rowfold::fold_class::norm) return {2, 3, 4, 5, 14};
  if (plan.problem.joined_granules > 4) return {3, 4, 14};  // such rows have more lanes than 4
  return {2, 3, 4, 14};
}

}  // namespace rowfold_test

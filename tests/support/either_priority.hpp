// SPDX-License-Identifier: MIT
// Some runs of a test bring a plan that reads with the other L2 priority: no result may depend on it, and calls as
// small as those of tests would never get it. The others leave the plan to the launcher.
#pragma once

#include <random>

#include "rowfold/ptx/l2_priority.hpp"

namespace rowfold_test {

// Returns the plan, in about every second run with evict_last, which `call` then brings. Which runs, does not follow
// the loops of a test.
template <class Plan, class Call>
Plan plan_with_either_priority(Plan plan, Call& call) {
  static std::minstd_rand turns;
  if (turns() % 2 == 0) return plan;
  plan.input_priority = rowfold::l2_priority::evict_last;
  call.plan = plan;
  return plan;
}

}  // namespace rowfold_test

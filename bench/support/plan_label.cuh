// SPDX-License-Identifier: MIT
//
// The label of a benchmark: the launch plan of its call in one line. Host only.
#pragma once

#include <stdexcept>
#include <string>

#include "device.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/plan_string.hpp"

namespace rowfold_bench {

inline rowfold::device_info this_device() {
  rowfold::device_info device;
  require(rowfold::current_device_info(device), "current_device_info");
  return device;
}

/// The plan in one line; throws where it is refused.
template <class Plan>
std::string plan_label(const Plan& plan) {
  const std::string label = rowfold::to_label(plan);
  if (plan.status == rowfold::plan_status::refused) throw std::runtime_error("refused: " + label);
  return label;
}

}  // namespace rowfold_bench

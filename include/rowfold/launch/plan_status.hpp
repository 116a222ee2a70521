// SPDX-License-Identifier: MIT
// What a plan says about the call that it was made for: the same for every kind of plan.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

enum class plan_status {
  unset,    // no plan has been made
  ready,    // the launch that the plan describes will run
  nothing,  // success without a launch: there is nothing to write
  refused,  // an error code; the reason says which condition failed
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

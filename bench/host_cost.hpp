// SPDX-License-Identifier: MIT
//
// Host time of a LayerNorm call: planning alone (needs no device), and the whole call beside an empty kernel launch.
#pragma once

#include "support/session.hpp"

namespace rowfold_bench {

/// Registers host/plan and host/layer_norm. `microseconds` is the median over groups of calls; for
/// host/layer_norm, `microseconds_over_empty` is what the call costs on top of an empty launch timed in alternation.
void register_host_cost(session& run);

}  // namespace rowfold_bench

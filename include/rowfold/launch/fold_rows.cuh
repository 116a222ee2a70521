// SPDX-License-Identifier: MIT
// Launching the row engine: from a plan and the parts of an op to one kernel launch.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/launch/launch.cuh"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/row/row_kernel.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// A refused plan as an error code: what the launcher of the op returns.
constexpr cudaError_t plan_error(const row_plan& plan) {
  return plan.status == plan_status::ready || plan.status == plan_status::nothing ? cudaSuccess : cudaErrorInvalidValue;
}

inline namespace ROWFOLD_BACKEND {

static_assert(sizeof(row_group_storage) == row_tuning::group_shared_bytes, "the planner knows the kernel's storage");

// Launches an op on `stream` as `plan` says: cudaSuccess without a launch where there is nothing to do,
// cudaErrorInvalidValue where the plan is refused (its reason says why), else what the launch returned. Nothing is
// allocated or synchronised; the stream's device must be current.
template <class Source, class Stages, class Map, class Sink>
[[nodiscard]] cudaError_t launch_row_plan(const row_plan& plan, const Source& source, const Stages& stages,
                                          const Map& map, const Sink& sink, bool programmatic, cudaStream_t stream) {
  if (plan.status != plan_status::ready) return plan_error(plan);
  const int lanes = plan.shape.lanes;
  int lanes_log2 = 0;
  while ((1 << (lanes_log2 + 1)) <= lanes) ++lanes_log2;
  const row_tiling tiling{plan.problem.rows, plan.problem.cols, lanes, plan.rows_per_block, lanes_log2};
  launch_config config;
  config.grid_blocks = plan.grid_blocks;
  config.block_threads = plan.block_threads;
  config.shared_bytes = plan.shared_bytes;
  config.stream = stream;
  config.programmatic = programmatic;

  constexpr int vectors = row_tuning::vectors;
  constexpr int threads = ROWFOLD_T;
  const bool whole = plan.access == row_access::whole;
  if constexpr (!is_same<typename Source::value_type, double>) {
    if (plan.variant == row_variant::held) {
      return whole ? launch(row_kernel<held_row, true, vectors, threads, Source, Stages, Map, Sink>, config, tiling,
                            source, stages, map, sink)
                   : launch(row_kernel<held_row, false, vectors, threads, Source, Stages, Map, Sink>, config, tiling,
                            source, stages, map, sink);
    }
    if (whole) {
      return launch(row_kernel<reread_row, true, vectors, threads, Source, Stages, Map, Sink>, config, tiling, source,
                    stages, map, sink);
    }
  }
  return launch(row_kernel<reread_row, false, vectors, threads, Source, Stages, Map, Sink>, config, tiling, source,
                stages, map, sink);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

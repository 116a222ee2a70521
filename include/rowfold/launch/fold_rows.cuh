// SPDX-License-Identifier: MIT
// Launching the row engine: from a plan and the parts of an op to one kernel launch.
#pragma once

#if !defined(__CUDACC_RTC__)

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/launch.cuh"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/only_columns.hpp"
#include "rowfold/launch/op_kernels.cuh"
#include "rowfold/launch/plan_fits.hpp"
#include "rowfold/launch/row_plan.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// The rows of a composed op.
struct row_shape {
  std::int64_t rows = 0;
  int cols = 0;
};

// A refused plan as an error code: what the launcher of the op returns.
constexpr cudaError_t plan_error(const row_plan& plan) {
  return plan.status == plan_status::ready || plan.status == plan_status::nothing ? cudaSuccess : cudaErrorInvalidValue;
}

inline namespace ROWFOLD_BACKEND {

namespace detail {

// Whether a problem is one of such parts, as far as kernels are chosen by it.
template <class Source, class Stages, class Sink>
constexpr bool is_of_parts(const row_problem& problem) {
  return problem.granule == Source::granule &&
         problem.accumulate_bytes == static_cast<int>(sizeof(typename Source::value_type)) &&
         problem.shape_class() == Stages::shape_class && problem.fold_passes == Stages::count &&
         problem.stores_rows == (Sink::output_count > 0);
}

}  // namespace detail

// Launches an op on `stream` as `plan` says: cudaSuccess without a launch where there is nothing to do,
// cudaErrorInvalidValue where the plan is refused (its reason says why), is one that the planner does not make, or was
// made for parts of other types, or asks for a kernel that Compiled leaves out, else what the launch returned. That it
// was made for these very tensors, check_row_plan tells. Nothing is allocated or synchronised; the stream's device must
// be current.
template <class Compiled = any_columns, class Source, class Stages, class Map, class Sink>
[[nodiscard]] cudaError_t launch_row_plan(const row_plan& plan, const Source& source, const Stages& stages,
                                          const Map& map, const Sink& sink, bool programmatic, cudaStream_t stream) {
  static_assert(Stages::count > 0 || Sink::output_count > 0, "an op folds its rows or stores some");
  if (plan.status != plan_status::ready) return plan_error(plan);
  if (!detail::fits_together<detail::has_spaced_columns<Source>>(plan) ||
      !detail::is_of_parts<Source, Stages, Sink>(plan.problem))
    return cudaErrorInvalidValue;
  launch_config config;
  config.grid_blocks = plan.grid_blocks;
  config.block_threads = plan.block_threads;
  config.shared_bytes = plan.shared_bytes;
  config.stream = stream;
  config.programmatic = programmatic;
  using kernels = detail::op_kernels<Source, Stages, Map, Sink, Compiled>;
  const auto kernel = kernels::choose(plan);
  const row_tiling tiling = kernels::tiling(plan);
  if (kernel.plain != nullptr) {
    return launch(kernel.plain, config, tiling, source, detail::held_stages(stages), map.held(), sink);
  }
  if (kernel.any != nullptr) return launch(kernel.any, config, tiling, source, stages, map, sink);
  return cudaErrorInvalidValue;
}

// What a composed op asks for: the parts describe their tensors.
template <class Source, class Stages, class Map, class Sink>
row_problem describe_rows(row_shape shape, const Source& source, const Stages&, const Map& map, const Sink& sink) {
  row_problem problem;
  problem.op = "fold_rows";
  problem.rows = shape.rows;
  problem.cols = shape.cols;
  problem.granule = Source::granule;
  problem.accumulate_bytes = static_cast<int>(sizeof(typename Source::value_type));
  problem.fold = Stages::dearest;
  problem.fold_passes = Stages::count;
  problem.maps_in_fold = Stages::maps;
  problem.stores_rows = Sink::output_count > 0;
  problem.loads_first = Stages::loads_first;
  source.describe(problem);
  map.describe(problem);
  sink.describe(problem);
  return problem;
}

// The plan of a composed op: pure, needs no GPU.
template <class Compiled = any_columns, class Source, class Stages, class Map, class Sink>
row_plan plan_rows(row_shape shape, const Source& source, const Stages& stages, const Map& map, const Sink& sink,
                   const device_info& device, const plan_request& request = {}) {
  return detail::refuse_left_out<Compiled>(make_row_plan<detail::has_spaced_columns<Source>>(
      describe_rows(shape, source, stages, map, sink), device, request));
}

// Folds, maps and stores `shape.rows` rows of `shape.cols` columns: a fused op from its parts (row/source.cuh,
// row/stages.cuh, row/map.cuh, row/sink.cuh, or a user's own of the same form).
//
//   using namespace rowfold;
//   const auto folds = normalize_stages<float>(cols, 1e-5f, source.granule, default_lanes(cols, source.granule));
//   fold_rows({rows, cols}, source, folds, chain(normalize_map{}, my_activation{}), sink);
//
// Registers are bounded as suits LayerNorm (row_tuning.hpp). A map with much more to keep at a time, such as two float
// parameters to 16-bit values where nothing is folded, spills a few bytes in some kernels: `-Xptxas -v` tells.
//
// Compiled: only_columns<...>, to compile only the kernels of some widths (launch/only_columns.hpp).
//
// Returns what launch_row_plan returns, or the error of the device query.
template <class Compiled = any_columns, class Source, class Stages, class Map, class Sink>
[[nodiscard]] cudaError_t fold_rows(row_shape shape, const Source& source, const Stages& stages, const Map& map,
                                    const Sink& sink, const plan_request& request = {}, cudaStream_t stream = nullptr) {
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  const row_plan plan = plan_rows<Compiled>(shape, source, stages, map, sink, device, request);
  return launch_row_plan<Compiled>(plan, source, stages, map, sink, request.programmatic, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif

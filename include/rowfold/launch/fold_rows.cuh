// SPDX-License-Identifier: MIT
// Launching the row engine: from a plan and the parts of an op to one kernel launch.
#pragma once

#if !defined(__CUDACC_RTC__)

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/launch.cuh"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/source.cuh"
#include "rowfold/row/spaced_parts.cuh"

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

static_assert(sizeof(row_group_storage) == row_tuning::group_shared_bytes, "the planner knows the kernel's storage");
static_assert(row_group<group_kind::across_warps>::storage_bytes == row_tuning::spaced_thread_bytes,
              "the planner knows the kernel's storage");

namespace detail {

// True where a source reads __half.
template <class List>
inline constexpr bool reads_half = false;
template <int N, class... Rest>
inline constexpr bool reads_half<granule_list<packed<__half, N>, Rest...>> = true;
template <class First, class... Rest>
inline constexpr bool reads_half<granule_list<First, Rest...>> = reads_half<granule_list<Rest...>>;

// The launch of one kernel: everything but its tile.
template <class Source, class Stages, class Map, class Sink>
struct row_launch {
  launch_config config;
  row_tiling tiling;
  const Source& source;
  const Stages& stages;
  const Map& map;
  const Sink& sink;

  static constexpr bool wide = has_wide_elements(Source::granule);

  // Parameters and results that are wider than the source's elements.
  static constexpr bool widens =
      widest_element<Map> > 16 / Source::granule || widest_element<Sink> > 16 / Source::granule;

  static constexpr int limited(int registers) {
    return registers < row_tuning::register_limit ? registers : row_tuning::register_limit;
  }

  // Of a kernel that holds rows, where a plain source needs `registers`.
  static constexpr int held_registers(int registers, int vectors, bool block) {
    using kept = detail::kept_granules<Source>;
    const int needed = registers + Stages::more_registers + source_registers<Source> + map_registers<Map>.held +
                       sink_registers<Sink>.held + row_tuning::more_registers(kept::type::bytes, vectors, widens);
    if (kept::are_inputs) return limited(needed);
    const int keeping = needed + row_tuning::keeping_registers(vectors, block, wide);
    const int loading = row_tuning::loading_registers(Source::inputs::bytes, vectors);
    return limited(keeping > loading ? keeping : loading);
  }

  template <template <granule_access, int, class> class RowData, class Tile, class AnyStages, class AnyMap>
  cudaError_t run(const AnyStages& folds, const AnyMap& form) const {
    static_assert(Tile::max_registers <= row_tuning::register_limit, "every block that the planner allows must fit");
    return launch(row_kernel<RowData, Tile, Source, AnyStages, AnyMap, Sink>, config, tiling, source, folds, form,
                  sink);
  }

  template <class Tile>
  cudaError_t run_held_tile() const {
    if constexpr (Tile::kind == group_kind::warp && Tile::vectors == 4) {
      return run<eager_held_row, Tile>(held_stages(stages), map.held());
    } else {
      return run<held_row, Tile>(held_stages(stages), map.held());
    }
  }

  template <group_kind Kind, int Vectors>
  cudaError_t run_held() const {
    constexpr bool block = Kind == group_kind::block;
    constexpr int more = reads_half<typename Source::inputs> && Stages::shape_class == fold_class::norm
                             ? row_tuning::half_registers(block, Vectors)
                             : 0;
    constexpr int registers =
        held_registers(row_tuning::max_registers(Stages::shape_class, block, Vectors, wide) + more, Vectors, block);
    return run_held_tile<row_tile<Kind, granule_access::whole, Vectors, registers>>();
  }

  // The kernels for rows of complete, aligned granules in registers: those that whole_kernel_vectors names.
  cudaError_t run_held(int vectors) const {
    constexpr bool softmax = Stages::shape_class == fold_class::softmax;
    if (tiling.lanes > 32) {
      if constexpr (softmax) {
        return vectors == 2 ? run_held<group_kind::block, 2>() : run_held<group_kind::block, 4>();
      } else {
        return vectors == 3   ? run_held<group_kind::block, 3>()
               : vectors == 4 ? run_held<group_kind::block, 4>()
                              : run_held<group_kind::block, 5>();
      }
    }
    if constexpr (!wide) {
      if (tiling.lanes == 4 && tiling.cols == 2 * 4 * Source::granule) {
        constexpr int most =
            softmax ? row_tuning::max_registers(fold_class::softmax, false, 2, false) : row_tuning::four_lane_registers;
        return run_held_tile<row_tile<group_kind::warp, granule_access::full, 2, held_registers(most, 2, false), 4>>();
      }
    }
    if constexpr (softmax) {
      return vectors == 2   ? run_held<group_kind::warp, 2>()
             : vectors == 3 ? run_held<group_kind::warp, 3>()
                            : run_held<group_kind::warp, 4>();
    } else {
      return vectors == 2   ? run_held<group_kind::warp, 2>()
             : vectors == 3 ? run_held<group_kind::warp, 3>()
             : vectors == 4 ? run_held<group_kind::warp, 4>()
                            : run_held<group_kind::warp, 5>();
    }
  }

  // The kernels for rows of complete, aligned granules that are read once and not kept.
  template <group_kind Kind>
  cudaError_t run_streamed() const {
    constexpr int vectors = row_tuning::streamed_vectors;
    constexpr bool block = Kind == group_kind::block;
    constexpr int registers = held_registers(row_tuning::streamed_registers(block), vectors, block);
    return run<reread_row, row_tile<Kind, granule_access::whole, vectors, registers>>(stages, map);
  }
  cudaError_t run_streamed() const {
    return tiling.lanes > 32 ? run_streamed<group_kind::block>() : run_streamed<group_kind::warp>();
  }

  // The kernel for rows of complete, aligned granules of which nothing is folded.
  static constexpr int part_vectors = row_tuning::part_vectors(Source::granule, Source::inputs::bytes);
  cudaError_t run_parts() const {
    using tile = row_tile<group_kind::warp, granule_access::whole, part_vectors,
                          limited(row_tuning::part_registers(Source::granule) + map_registers<Map>.held +
                                  sink_registers<Sink>.held),
                          0, true>;
    return run<part_row, tile>(stages, map.held());
  }

  // The kernels for rows whose columns lie apart.
  template <int Vectors>
  cudaError_t run_held_spaced(int rows) const {
    if constexpr (!wide) {
      constexpr int registers = held_registers(row_tuning::spaced_pair_registers(Vectors, widens), Vectors, false);
      using tile = row_tile<group_kind::across_warps, granule_access::whole, Vectors, registers, 0, false, 2>;
      if (rows == 2) return run<held_row_pair, tile>(held_stages(stages), map.held());
    }
    constexpr int registers = held_registers(row_tuning::spaced_registers(Vectors, wide), Vectors, false);
    return run<held_row, row_tile<group_kind::across_warps, granule_access::whole, Vectors, registers>>(
        held_stages(stages), map.held());
  }
  cudaError_t run_spaced(const row_plan& plan) const {
    const unsigned threads = static_cast<unsigned>(tiling.lanes) << tiling.slots_log2;
    if (plan.block_threads != threads || plan.shared_bytes < threads * row_tuning::spaced_thread_bytes) {
      return cudaErrorInvalidValue;
    }
    if constexpr (!is_same<typename Source::value_type, double> && Stages::count > 0 && Sink::output_count > 0) {
      if (plan.variant == row_variant::held) {
        if (plan.vectors == 2) return run_held_spaced<2>(plan.rows_per_thread);
        if (plan.vectors == 3) return run_held_spaced<3>(plan.rows_per_thread);
        if constexpr (Stages::shape_class != fold_class::softmax) {
          if (plan.vectors == 5) return run_held_spaced<5>(plan.rows_per_thread);
        }
        return run_held_spaced<4>(plan.rows_per_thread);
      }
    }
    using tile = row_tile<group_kind::across_warps, granule_access::any, row_tuning::spaced_reread_vectors,
                          limited(row_tuning::spaced_reread_registers + Stages::more_registers)>;
    return run<reread_row, tile>(stages, map);
  }

  // The kernel for any address has the map with all its options, the one for whole granules has not.
  template <granule_access Access>
  cudaError_t run_staged() const {
    constexpr bool any_access = Access == granule_access::any;
    constexpr int more = sink_registers<Sink>.staged + Stages::more_registers;
    constexpr int registers =
        is_same<typename Source::value_type, double> ? row_tuning::register_limit
        : kept_granules<Source>::are_inputs
            ? limited(row_tuning::staged_registers(any_access, widens) + map_registers<Map>.staged + more)
            : limited(row_tuning::staged_keeping_registers(any_access, widens) + source_staged_registers<Source> +
                      more);
    using tile = row_tile<group_kind::either, Access, 0, registers>;
    if constexpr (any_access) {
      return run<staged_row, tile>(stages, map);
    } else {
      return run<staged_row, tile>(held_stages(stages), map.held());
    }
  }

  // The kernel of `plan` for rows of neighbouring columns.
  cudaError_t run_rows(const row_plan& plan) const {
    constexpr bool checking = is_same<typename Source::value_type, double>;
    constexpr bool folds_once = Stages::count == 1 && Sink::output_count == 0;
    constexpr bool folds_nothing = Stages::count == 0;
    if constexpr (folds_nothing && !checking) {
      if (plan.variant == row_variant::streamed) {
        return plan.vectors == part_vectors ? run_parts() : cudaErrorInvalidValue;
      }
    } else if constexpr (folds_once && !checking) {
      if (plan.variant == row_variant::streamed) return run_streamed();
    } else if constexpr (!checking) {
      if (plan.variant == row_variant::held) return run_held(plan.vectors);
    }
    const long long tile = plan.access == row_access::any ? Source::granule * Sink::widest_column : 0;
    const long long needed = row_tuning::group_shared_bytes + plan.block_threads * tile +
                             static_cast<long long>(plan.rows_per_block) * tiling.stage_bytes;
    if (needed > plan.shared_bytes) return cudaErrorInvalidValue;
    if constexpr (!checking && !folds_once && !folds_nothing) {
      if (plan.access == row_access::whole) return run_staged<granule_access::whole>();
    }
    return run_staged<granule_access::any>();
  }
};

}  // namespace detail

// Launches an op on `stream` as `plan` says: cudaSuccess without a launch where there is nothing to do,
// cudaErrorInvalidValue where the plan is refused (its reason says why) or was made for tensors that are not those of these
// parts, else what the launch returned. Nothing is allocated or synchronised; the stream's device must be current.
template <class Source, class Stages, class Map, class Sink>
[[nodiscard]] cudaError_t launch_row_plan(const row_plan& plan, const Source& source, const Stages& stages,
                                          const Map& map, const Sink& sink, bool programmatic, cudaStream_t stream) {
  if (plan.status != plan_status::ready) return plan_error(plan);
  launch_config config;
  config.grid_blocks = plan.grid_blocks;
  config.block_threads = plan.block_threads;
  config.shared_bytes = plan.shared_bytes;
  config.stream = stream;
  config.programmatic = programmatic;
  int slots_log2 = 0;
  while ((2 << slots_log2) <= plan.rows_per_block / plan.rows_per_thread) ++slots_log2;
  int lanes_log2 = 0;
  while ((2 << lanes_log2) <= plan.shape.lanes) ++lanes_log2;
  const long long stage = detail::list_stage_bytes<typename Source::inputs, Source::granule>(plan.stage_columns);
  const row_tiling tiling{
      plan.problem.rows, plan.problem.cols,  plan.shape.lanes,        plan.rows_per_block,
      lanes_log2,        plan.stage_columns, static_cast<int>(stage), divider(static_cast<unsigned>(plan.parts)),
      slots_log2};
  const detail::row_launch<Source, Stages, Map, Sink> launcher{config, tiling, source, stages, map, sink};

  if constexpr (detail::has_spaced_columns<Source>) {
    return launcher.run_spaced(plan);
  } else {
    return launcher.run_rows(plan);
  }
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
  problem.fold = Stages::shape_class;
  problem.fold_passes = Stages::count;
  problem.map_passes = Stages::mapped + 1;
  problem.stores_rows = Sink::output_count > 0;
  problem.loads_first = Stages::loads_first;
  source.describe(problem);
  map.describe(problem);
  sink.describe(problem);
  return problem;
}

// The plan of a composed op: pure, needs no GPU.
template <class Source, class Stages, class Map, class Sink>
row_plan plan_rows(row_shape shape, const Source& source, const Stages& stages, const Map& map, const Sink& sink,
                   const device_info& device, const plan_request& request = {}) {
  return make_row_plan(describe_rows(shape, source, stages, map, sink), device, request);
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
// Returns what launch_row_plan returns, or the error of the device query.
template <class Source, class Stages, class Map, class Sink>
[[nodiscard]] cudaError_t fold_rows(row_shape shape, const Source& source, const Stages& stages, const Map& map,
                                    const Sink& sink, const plan_request& request = {}, cudaStream_t stream = nullptr) {
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  const row_plan plan = plan_rows(shape, source, stages, map, sink, device, request);
  return launch_row_plan(plan, source, stages, map, sink, request.programmatic, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif

// SPDX-License-Identifier: MIT
// The kernels of the row engine: which instantiation a plan asks for, with how many registers, and its launch.
#pragma once

#if !defined(__CUDACC_RTC__)

#include "rowfold/config.hpp"
#include "rowfold/launch/launch.cuh"
#include "rowfold/launch/row_kernels.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/launch/spaced_row_plan.hpp"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/source.cuh"
#include "rowfold/row/spaced_parts.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
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

  // Whether a thread that keeps what the map makes (row/kept_results.cuh) has room for it where the values were: the
  // row is one tensor, nothing but codes of 8 bits is made of it, and no parameter is wider than the source's elements.
  static constexpr bool keeps_results_alone = Stages::maps && !is_same<Map, identity_map> &&
                                              detail::kept_granules<Source>::are_inputs && Sink::output_count == 1 &&
                                              Sink::widest_column == 1 && !widens;

  // Of a kernel that holds rows, where a plain source needs `registers`.
  static constexpr int held_registers(int registers, int vectors, bool block) {
    using kept = detail::kept_granules<Source>;
    const int needed = registers + Stages::more_registers + source_registers<Source> + map_registers<Map>.held +
                       sink_registers<Sink>.held + row_tuning::more_registers(kept::type::bytes, vectors, widens);
    if (kept::are_inputs) return limited(needed);
    const int keeping = needed + row_tuning::keeping_registers(vectors, block, wide);
    const int loading = row_tuning::loading_registers(Source::inputs::bytes, vectors);
    const int most = keeping > loading ? keeping : loading;
    const int limit = vectors <= row_tuning::max_vectors ? held_register_limit<Source> : 0;
    return limited(limit != 0 && limit < most ? limit : most);
  }

  template <class Tile, class AnyStages, class AnyMap>
  cudaError_t run(const AnyStages& folds, const AnyMap& form) const {
    static_assert(Tile::max_registers <= row_tuning::register_limit, "every block that the planner allows must fit");
    return launch(row_kernel<Tile, Source, AnyStages, AnyMap, Sink>, config, tiling, source, folds, form, sink);
  }
  // A kernel of rows in registers, whose map has no options.
  template <class Tile>
  cudaError_t run_plain() const {
    return run<Tile>(held_stages(stages), map.held());
  }

  static constexpr fold_class fold = Stages::shape_class;

  // On top, of a block that asks for parameters early, or for all of them at once.
  static constexpr int early_registers(parameter_loads loads) {
    const int bytes = fetched_bytes<Map> * Source::granule;
    const bool none = loads == parameter_loads::early && kept_granules<Source>::are_inputs &&
                      row_tuning::needs_no_early_registers(fold, bytes, wide);
    return (none ? 0 : row_tuning::early_registers(bytes)) + map_registers<Map>.early +
           (kept_granules<Source>::are_inputs ? 0 : row_tuning::early_keeping_registers(wide)) +
           (reads_half<typename Source::inputs> && fold == fold_class::norm ? row_tuning::early_half_registers : 0);
  }

  template <group_kind Kind, parameter_loads Loads, int Vectors, int Spare>
  cudaError_t run_held() const {
    constexpr bool block = Kind == group_kind::block;
    constexpr int conversions =
        reads_half<typename Source::inputs> ? row_tuning::half_registers(fold, block, Vectors) : 0;
    constexpr int early = block && Loads != parameter_loads::in_turn ? early_registers(Loads) : 0;
    constexpr bool kept = keeps_results_alone && Vectors == row_tuning::max_vectors;
    constexpr int registers =
        held_registers(row_tuning::max_registers(fold, block, Vectors, wide) + conversions + early, Vectors, block) -
        (kept ? row_tuning::fewer_kept_registers(block, wide) : 0);
    return run_plain<held_tile<Kind, Vectors, registers, Spare, Loads>>();
  }

  // The kernel of part of a warp that holds up to Vectors granules a lane.
  template <int Vectors>
  cudaError_t run_warp() const {
    constexpr held_kernel kernel = warp_held_kernel(Vectors, Source::granule, fold);
    constexpr parameter_loads loads =
        row_tuning::asks_at_once(Vectors) ? parameter_loads::at_once : parameter_loads::in_turn;
    return run_held<group_kind::warp, loads, kernel.vectors, kernel.spare>();
  }

  // The kernels of a block. A map that cannot fetch its parameters has them at once instead.
  cudaError_t run_block(bool early_parameters) const {
    constexpr parameter_loads early = detail::fetches<Map> ? parameter_loads::early : parameter_loads::at_once;
    constexpr held_kernel kernel = early_block_kernel();
    if constexpr (!has_parameters<Map>) {
      return run_held<group_kind::block, parameter_loads::in_turn, kernel.vectors, kernel.spare>();
    } else {
      if constexpr (!(early == parameter_loads::early &&
                      always_early(fetched_bytes<Map> * Source::granule, Stages::maps, Source::granule))) {
        constexpr held_kernel late = late_block_kernel(Source::granule, fold);
        // A problem may have no parameters where the map's type may: then no plan is early, whatever the late kernel
        // holds.
        if (!early_parameters && serves(late, tiling.cols / Source::granule, tiling.lanes)) {
          return run_held<group_kind::block, parameter_loads::in_turn, late.vectors, late.spare>();
        }
      }
      return run_held<group_kind::block, early, kernel.vectors, kernel.spare>();
    }
  }

  // The kernels for rows of complete, aligned granules in registers: those that held_kernel_vectors names.
  cudaError_t run_held(int vectors, bool early_parameters) const {
    if (tiling.lanes > 32) return run_block(early_parameters);
    if constexpr (!wide) {
      if (fills_four_lanes(tiling.cols, tiling.lanes, Source::granule)) {
        constexpr int registers = held_registers(row_tuning::four_lane_registers(fold), 2, false);
        return run_plain<full_tile<4, 2, registers>>();
      }
    }
    constexpr int small = warp_held_kernel(1, Source::granule, fold).vectors;
    if (vectors == small) return run_warp<small>();
    if constexpr (is_narrow_norm(Source::granule, fold)) {
      if (vectors == 3) return run_warp<3>();
      if (vectors == 5) return run_warp<5>();
    }
    return run_warp<4>();
  }

  // The kernels for rows of complete, aligned granules that are read once and not kept.
  template <group_kind Kind>
  cudaError_t run_streamed() const {
    constexpr int vectors = row_tuning::streamed_vectors;
    constexpr bool block = Kind == group_kind::block;
    constexpr int registers = held_registers(row_tuning::streamed_registers(block), vectors, block);
    return run<reread_tile<Kind, granule_access::whole, vectors, registers>>(stages, map);
  }
  cudaError_t run_streamed() const {
    return tiling.lanes > 32 ? run_streamed<group_kind::block>() : run_streamed<group_kind::warp>();
  }

  // The kernel for rows of complete, aligned granules of which nothing is folded.
  static constexpr int part_vectors = row_tuning::part_vectors(Source::granule, Source::inputs::bytes);
  cudaError_t run_parts() const {
    constexpr bool plain = kept_granules<Source>::are_inputs && is_same<Map, identity_map>;
    constexpr int registers =
        part_register_limit<Sink> != 0
            ? part_register_limit<Sink> + (plain ? 0 : row_tuning::part_more_registers)
            : row_tuning::part_registers(Source::granule) + map_registers<Map>.held + sink_registers<Sink>.held;
    return run_plain<part_tile<part_vectors, limited(registers)>>();
  }

  // The kernels for rows whose columns lie apart.
  template <int Vectors>
  cudaError_t run_held_spaced(int rows) const {
    constexpr int pair_registers = held_registers(row_tuning::spaced_pair_registers(Vectors, widens), Vectors, false);
    if (rows == 2) return run_plain<pair_tile<Vectors, pair_registers>>();
    constexpr int registers = held_registers(row_tuning::spaced_registers(Vectors, wide), Vectors, false);
    return run_plain<held_tile<group_kind::across_warps, Vectors, registers>>();
  }
  cudaError_t run_spaced(const row_plan& plan) const {
    const unsigned threads = static_cast<unsigned>(tiling.lanes) << tiling.slots_log2;
    if (plan.block_threads != threads || plan.shared_bytes < threads * row_tuning::spaced_thread_bytes ||
        (plan.rows_per_thread == 2 && !rows_pair_up(plan.problem))) {
      return cudaErrorInvalidValue;
    }
    if constexpr (!is_same<typename Source::value_type, double> && Stages::count > 0 && Sink::output_count > 0) {
      if (plan.variant == row_variant::held) {
        if (plan.vectors == 2) return run_held_spaced<2>(plan.rows_per_thread);
        if (plan.vectors == 3) return run_held_spaced<3>(plan.rows_per_thread);
        if constexpr (is_narrow_norm(Source::granule, fold)) {
          if (plan.vectors == 5) return run_held_spaced<5>(plan.rows_per_thread);
        }
        return run_held_spaced<4>(plan.rows_per_thread);
      }
    }
    constexpr int registers = limited(row_tuning::spaced_reread_registers + Stages::more_registers);
    return run<
        reread_tile<group_kind::across_warps, granule_access::any, row_tuning::spaced_reread_vectors, registers>>(
        stages, map);
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
    using tile = staged_tile<Access, registers>;
    if constexpr (any_access) {
      return run<tile>(stages, map);
    } else {
      return run_plain<tile>();
    }
  }

  // The kernel of `plan` for rows of neighbouring columns.
  cudaError_t run_rows(const row_plan& plan) const {
    const bool in_registers = plan.variant == row_variant::held || plan.variant == row_variant::streamed;
    if (in_registers && plan.shape.lanes > 32 && !merges_directly(plan.shape.lanes / 32)) {
      return cudaErrorInvalidValue;  // no such kernel
    }
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
      if (plan.variant == row_variant::held) return run_held(plan.vectors, plan.early_parameters);
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

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif

// SPDX-License-Identifier: MIT
// The kernels of the row engine: which instantiation a plan asks for.
#pragma once

#if !defined(__CUDACC_RTC__)

#include "rowfold/config.hpp"
#include "rowfold/launch/only_columns.hpp"
#include "rowfold/launch/op_registers.cuh"
#include "rowfold/launch/row_kernels.hpp"
#include "rowfold/launch/row_plan.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/launch/spaced_row_plan.hpp"
#include "rowfold/numeric/divider.hpp"
#include "rowfold/numeric/power_of_two.hpp"
#include "rowfold/row/early_map.cuh"
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

// Of a plan whose lanes lie across warps: of the block's threads that are the same lane.
inline int slots_log2(const row_plan& plan) { return floor_log2(plan.rows_per_block / plan.rows_per_thread); }

template <class T>
T value_of(const T&);  // for decltype: kernels take values, whatever held() returns

// The kernels of an op of such parts, and which of them a plan asks for. Compiled: any_columns, or only_columns<...>.
template <class Source, class Stages, class Map, class Sink, class Compiled = any_columns>
struct op_kernels : private op_registers<Source, Stages, Map, Sink> {
  using held_stages_type = decltype(held_stages(declared<Stages>()));
  using held_map_type = decltype(value_of(declared<Map>().held()));

  // One kernel, or none where there is none for the plan. An op's launcher has one place from which it starts any of
  // them, and so compiles in less time.
  struct kernel_choice {
    void (*plain)(row_tiling, Source, held_stages_type, held_map_type, Sink) = nullptr;  // its map has no options
    void (*any)(row_tiling, Source, Stages, Map, Sink) = nullptr;
  };

 private:
  using registers_of = op_registers<Source, Stages, Map, Sink>;
  using registers_of::early_registers;
  using registers_of::fold;
  using registers_of::held_registers;
  using registers_of::keeps_results_alone;
  using registers_of::limited;
  using registers_of::reads_half;
  using registers_of::wide;
  using registers_of::widens;

  using value_type = typename Source::value_type;
  static constexpr bool checking = is_same<value_type, double>;
  static constexpr bool folds_once = Stages::count == 1 && Sink::output_count == 0;
  static constexpr bool folds_nothing = Stages::count == 0;

  static_assert(late_block_kernel(Source::granule, fold).vectors == early_block_kernel().vectors,
                "the kernels of a block go together: compiled_kernels does not tell them apart");
  // Whether a kernel for rows of neighbouring columns is compiled.
  static constexpr bool compiles(const row_kernel_id& kernel) {
    constexpr int joined = joined_columns<Sink> / Source::granule;
    constexpr row_op_kind op{Source::granule, fold, joined > 1 ? joined : 1};
    return !has_many_kernels(static_cast<int>(sizeof(value_type)), Stages::count, Sink::output_count > 0) ||
           compiled_kernels<Compiled>::contain(kernel, op);
  }

  template <class Tile, bool Exists = true>
  static constexpr kernel_choice plain_kernel() {
    static_assert(Tile::max_registers <= row_tuning::register_limit, "every block that the planner allows must fit");
    if constexpr (Exists) {
      return {row_kernel<Tile, Source, held_stages_type, held_map_type, Sink>, nullptr};
    } else {
      return {};
    }
  }
  template <class Tile, bool Exists = true>
  static constexpr kernel_choice any_kernel() {
    static_assert(Tile::max_registers <= row_tuning::register_limit, "every block that the planner allows must fit");
    if constexpr (Exists) {
      return {nullptr, row_kernel<Tile, Source, Stages, Map, Sink>};
    } else {
      return {};
    }
  }

  template <group_kind Kind, parameter_loads Loads, int Vectors, int Spare>
  static kernel_choice choose_held() {
    constexpr bool block = Kind == group_kind::block;
    constexpr int conversions = reads_half ? row_tuning::half_registers(fold, block, Vectors) : 0;
    constexpr int early = block && Loads != parameter_loads::in_turn ? early_registers(Loads) : 0;
    constexpr bool kept = keeps_results_alone && Vectors == row_tuning::max_vectors;
    constexpr bool plain = kept_granules<Source>::are_inputs && !reads_half && !Stages::maps;
    constexpr int registers =
        held_registers(row_tuning::max_registers(fold, block, Vectors, wide) + conversions + early, Vectors, block) -
        (kept ? row_tuning::fewer_kept_registers(block, wide) : 0) -
        (plain ? row_tuning::fewer_plain_registers(fold, block, Vectors, wide) : 0);
    constexpr bool exists = compiles({block ? kernel_kind::block : kernel_kind::warp, Vectors});
    return plain_kernel<held_tile<Kind, Vectors, registers, Spare, Loads>, exists>();
  }

  // The kernel of part of a warp that holds up to Vectors granules a lane.
  template <int Vectors>
  static kernel_choice choose_warp() {
    constexpr held_kernel kernel = warp_held_kernel(Vectors, Source::granule, fold);
    constexpr parameter_loads loads =
        row_tuning::asks_at_once(Vectors) ? parameter_loads::at_once : parameter_loads::in_turn;
    return choose_held<group_kind::warp, loads, kernel.vectors, kernel.spare>();
  }

  // The kernels of a block. A map that cannot fetch its parameters has them at once instead.
  static kernel_choice choose_block(const row_plan& plan) {
    constexpr parameter_loads early = detail::fetches<Map> ? parameter_loads::early : parameter_loads::at_once;
    constexpr held_kernel kernel = early_block_kernel();
    if constexpr (!has_parameters<Map>) {
      return choose_held<group_kind::block, parameter_loads::in_turn, kernel.vectors, kernel.spare>();
    } else {
      if constexpr (!(early == parameter_loads::early &&
                      always_early(fetched_bytes<Map> * Source::granule, Stages::maps, Source::granule))) {
        constexpr held_kernel late = late_block_kernel(Source::granule, fold);
        // A problem may have no parameters where the map's type may: then no plan is early, whatever the late kernel
        // holds.
        if (!plan.early_parameters && serves(late, plan.problem.cols / Source::granule, plan.shape.lanes)) {
          return choose_held<group_kind::block, parameter_loads::in_turn, late.vectors, late.spare>();
        }
      }
      return choose_held<group_kind::block, early, kernel.vectors, kernel.spare>();
    }
  }

  // The kernels for rows of complete, aligned granules in registers: those that held_kernel_vectors names.
  static kernel_choice choose_held(const row_plan& plan) {
    if (plan.shape.lanes > 32) return choose_block(plan);
    if constexpr (!wide) {
      if (fills_four_lanes(plan.problem.cols, plan.shape.lanes, Source::granule)) {
        constexpr int registers = held_registers(row_tuning::four_lane_registers(fold), 2, false);
        return plain_kernel<full_tile<4, 2, registers>, compiles({kernel_kind::four_lanes, 2})>();
      }
    }
    constexpr int small = warp_held_kernel(1, Source::granule, fold).vectors;
    if (plan.vectors == small) return choose_warp<small>();
    if constexpr (is_narrow_norm(Source::granule, fold)) {
      if (plan.vectors == 3) return choose_warp<3>();
      if (plan.vectors == 5) return choose_warp<5>();
    }
    return choose_warp<4>();
  }

  // The kernels for rows of complete, aligned granules that are read once and not kept.
  template <group_kind Kind>
  static kernel_choice choose_streamed() {
    constexpr int vectors = row_tuning::streamed_vectors;
    constexpr bool block = Kind == group_kind::block;
    constexpr int registers = held_registers(row_tuning::streamed_registers(block), vectors, block);
    return any_kernel<reread_tile<Kind, granule_access::whole, vectors, registers>>();
  }
  static kernel_choice choose_streamed(const row_plan& plan) {
    return plan.shape.lanes > 32 ? choose_streamed<group_kind::block>() : choose_streamed<group_kind::warp>();
  }

  // The kernel for rows of complete, aligned granules of which nothing is folded.
  static constexpr int part_vectors = row_tuning::part_vectors(Source::granule, Source::inputs::bytes);
  static kernel_choice choose_parts() {
    constexpr bool plain = kept_granules<Source>::are_inputs && is_same<Map, identity_map>;
    constexpr int registers =
        part_register_limit<Sink> != 0
            ? part_register_limit<Sink> + (plain ? 0 : row_tuning::part_more_registers)
            : row_tuning::part_registers(Source::granule) + map_registers<Map>.held + sink_registers<Sink>.held;
    return plain_kernel<part_tile<part_vectors, limited(registers)>>();
  }

  // The kernels for rows whose columns lie apart.
  template <int Vectors>
  static kernel_choice choose_held_spaced(int rows) {
    constexpr int pair_registers = held_registers(row_tuning::spaced_pair_registers(Vectors, widens), Vectors, false);
    if (rows == 2) return plain_kernel<pair_tile<Vectors, pair_registers>>();
    constexpr int registers = held_registers(row_tuning::spaced_registers(Vectors, wide), Vectors, false);
    return plain_kernel<held_tile<group_kind::across_warps, Vectors, registers>>();
  }
  static kernel_choice choose_spaced(const row_plan& plan) {
    const unsigned threads = static_cast<unsigned>(plan.shape.lanes) << slots_log2(plan);
    if (plan.block_threads != threads || plan.shared_bytes < threads * row_tuning::spaced_thread_bytes ||
        (plan.rows_per_thread == 2 && !rows_pair_up(plan.problem))) {
      return {};
    }
    if constexpr (!is_same<typename Source::value_type, double> && Stages::count > 0 && Sink::output_count > 0) {
      if (plan.variant == row_variant::held) {
        if (plan.vectors == 2) return choose_held_spaced<2>(plan.rows_per_thread);
        if (plan.vectors == 3) return choose_held_spaced<3>(plan.rows_per_thread);
        if constexpr (is_narrow_norm(Source::granule, fold)) {
          if (plan.vectors == 5) return choose_held_spaced<5>(plan.rows_per_thread);
        }
        return choose_held_spaced<4>(plan.rows_per_thread);
      }
    }
    constexpr int registers = limited(row_tuning::spaced_reread_registers + Stages::more_registers);
    return any_kernel<
        reread_tile<group_kind::across_warps, granule_access::any, row_tuning::spaced_reread_vectors, registers>>();
  }

  // The kernel for any address has the map with all its options, the one for whole granules has not.
  template <granule_access Access>
  static kernel_choice choose_staged() {
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
      return any_kernel<tile, compiles({kernel_kind::any, 0})>();
    } else {
      return plain_kernel<tile, compiles({kernel_kind::staged, 0})>();
    }
  }

  static int stage_bytes(const row_plan& plan) {
    return static_cast<int>(list_stage_bytes<typename Source::inputs, Source::granule>(plan.stage_columns));
  }

  // The kernels for rows of neighbouring columns.
  static kernel_choice choose_rows(const row_plan& plan) {
    const bool in_registers = plan.variant == row_variant::held || plan.variant == row_variant::streamed;
    if (in_registers && plan.shape.lanes > 32 && !merges_directly(plan.shape.lanes / 32)) {
      return {};  // no such kernel
    }
    if constexpr (folds_nothing && !checking) {
      if (plan.variant == row_variant::streamed) {
        return plan.vectors == part_vectors ? choose_parts() : kernel_choice{};
      }
    } else if constexpr (folds_once && !checking) {
      if (plan.variant == row_variant::streamed) return choose_streamed(plan);
    } else if constexpr (!checking) {
      if (plan.variant == row_variant::held) return choose_held(plan);
    }
    const long long tile = plan.access == row_access::any ? Source::granule * Sink::widest_column : 0;
    const long long needed = row_tuning::group_shared_bytes + plan.block_threads * tile +
                             static_cast<long long>(plan.rows_per_block) * stage_bytes(plan);
    if (needed > plan.shared_bytes) return {};
    if constexpr (!checking && !folds_once && !folds_nothing) {
      if (plan.access == row_access::whole) return choose_staged<granule_access::whole>();
    }
    return choose_staged<granule_access::any>();
  }

 public:
  // The kernel of `plan`.
  static kernel_choice choose(const row_plan& plan) {
    if constexpr (has_spaced_columns<Source>) {
      return choose_spaced(plan);
    } else {
      return choose_rows(plan);
    }
  }

  // What it needs to know of the plan.
  static row_tiling tiling(const row_plan& plan) {
    const row_problem& problem = plan.problem;
    const divider parts(static_cast<unsigned>(plan.parts));
    return {problem.rows,
            problem.cols,
            plan.shape.lanes,
            plan.rows_per_block,
            floor_log2(plan.shape.lanes),
            plan.stage_columns,
            stage_bytes(plan),
            parts,
            slots_log2(plan),
            plan.input_priority};
  }
};

}  // namespace detail

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#endif

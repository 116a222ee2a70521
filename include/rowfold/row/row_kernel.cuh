// SPDX-License-Identifier: MIT
// The row engine's kernel: every row op is this kernel with other parts. Load the row, fold it stage by stage, map it,
// store it.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/divider.hpp"
#include "rowfold/ptx/l2_priority.hpp"
#include "rowfold/row/across_warps.cuh"
#include "rowfold/row/early_map.cuh"
#include "rowfold/row/granule_storer.cuh"
#include "rowfold/row/kept_results.cuh"
#include "rowfold/row/row_group.cuh"
#include "rowfold/row/row_pair.cuh"
#include "rowfold/row/row_tile.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/stages.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// How rows lie on blocks and threads: what the kernel needs of a plan.
struct row_tiling {
  long long rows;
  int cols;
  int lanes;             // threads that share a row
  int rows_per_block;    // 1 if lanes > 32, but where they lie across warps
  int lanes_log2;        // of lanes <= 32
  int stage_columns;     // that the stages of one row hold, where rows are staged
  int stage_bytes;       // of shared memory for one row's stages
  divider parts;         // of a row, each of a group of its own, where nothing is folded; else 1
  int slots_log2;        // of the block's threads that are the same lane, where lanes lie across warps
  l2_priority priority;  // of what is read into registers
};

inline namespace ROWFOLD_BACKEND {

namespace detail {

// The group of the calling thread.
template <class Tile>
ROWFOLD_DEVICE auto make_group(const row_tiling& tiling, unsigned char* shared) {
  using group = row_group<Tile::kind, Tile::lanes>;
  if constexpr (Tile::kind == group_kind::across_warps) {
    return group(tiling.lanes, tiling.slots_log2, shared);
  } else {
    return group(tiling.lanes, reinterpret_cast<row_group_storage*>(shared));
  }
}

// Whether rows are of a kind that says in a row_stage where they are.
template <class RowData, class = void>
inline constexpr bool needs_stage = false;
template <class RowData>
inline constexpr bool needs_stage<RowData, enable_if_t<RowData::needs_stage>> = true;

// Whether rows are of a kind whose values a thread has in registers from the first pass to the last.
template <class RowData, class = void>
inline constexpr bool unpacks_once = false;
template <class RowData>
inline constexpr bool unpacks_once<RowData, enable_if_t<RowData::unpacks_once>> = true;
// Whether a fold over what the map makes keeps it for the last pass: where there is a map, and its results take the
// place of such values. Kernels of lanes across warps do not: no op of the library has a fold of this kind there.
template <class RowData, class Group, class Stages, class Map>
inline constexpr bool keeps_results =
    Stages::maps&& unpacks_once<RowData>&& Group::kind != group_kind::across_warps && !is_same<Map, identity_map>;

// A held row whose values the compiler does not keep: what the map makes of them needs their registers.
template <class RowData>
struct unpacked_anew {
  RowData& data;

  template <class F>
  ROWFOLD_DEVICE void for_each(F&& f) {
    data.template for_each<true>(f);
  }
};

// Whether the row has something to finish: any that exists if the sink stores results of rows without columns, too.
template <class Sink>
ROWFOLD_DEVICE bool finishes(const Sink&, int cols, bool exists) {
  return finishes_empty_rows<Sink> ? exists : cols > 0;
}

// The last pass over a row, and what one lane of the group does after it.
template <store_hint Hint, stored_outputs Which, class Stages, class Group, class RowData, class Map, class Sink,
          class OutRow, class Result>
ROWFOLD_DEVICE void store_and_finish(Group& group, RowData& data, const Map& map, const Sink& sink, const OutRow& out,
                                     const Result& result, int cols, const row_stage& shared, bool exists) {
  // Orders all lanes' reads of the row in the folds above before the stores below, which may overwrite it. (In a block
  // the barriers of the folds have done so.)
  if constexpr (Stages::count > 0) group.order_memory();
  store_granules<Hint, Which>(data, map, sink, out, result);
  if (finishes(sink, cols, exists) && group.rank() == 0 && shared.first == 0) sink.finish(out, result);
}

// What happens when to a row of this kind.
template <class RowData, class Group, class Stages, class Map, class Sink>
struct row_order {
  // Outputs of the source's values alone are stored before the folds, and so are on their way while a block folds; not
  // where its lanes read the row's first value in memory, which the output may overwrite.
  static constexpr bool source_first =
      Group::kind == group_kind::block && fetches_early<RowData> && !Stages::loads_first && has_source_output<Sink>;
  // Or before the last fold, where that keeps what the map makes in the place of the source's values.
  static constexpr bool keeps = keeps_results<RowData, Group, Stages, Map>;
  static constexpr bool source_before_last = keeps && has_source_output<Sink> && !source_first;

  static constexpr bool finds_outputs_early = RowData::template finds_outputs_early<Group> || source_first;
  static constexpr stored_outputs last_pass =
      source_first || source_before_last ? stored_outputs::of_map : stored_outputs::all;
};

// Stores what is made of the source's values alone.
template <store_hint Hint, class RowData, class Map, class Sink, class OutRow>
ROWFOLD_DEVICE void store_of_source(RowData& data, const Map& map, const Sink& sink, const OutRow& out) {
  store_granules<Hint, stored_outputs::of_source>(data, map, sink, out, no_result{});
}

// The last folds and the last pass of a row whose results are kept between them (row/kept_results.cuh).
template <class Order, store_hint Hint, class Group, class RowData, class Form, class Row, class Source, class Stages,
          class Map, class Sink, class OutRow>
ROWFOLD_DEVICE void fold_keeping_results(Group& group, long long index, int cols, RowData& data, const Form& form,
                                         const Row& row, const Source& source, const Stages& stages, const Map& map,
                                         const Sink& sink, OutRow& out, const row_stage& shared, bool exists) {
  const auto before = fold_earlier_stages(stages, group, data, source, row, no_result{});
  if constexpr (!Order::finds_outputs_early) out = sink.row(index, cols);
  if constexpr (Order::source_before_last) {
    group.order_memory();  // orders the reads in these folds before the stores below, as in store_and_finish
    store_of_source<Hint>(data, map, sink, out);
  }
  using kept_type = kept_results<typename Source::value_type, Source::granule, RowData::vectors>;
  kept_type kept;
  const keeping_map<Form, kept_type> keeping{form, kept};
  unpacked_anew<RowData> anew{data};
  const auto result = fold_stage(last_stage(stages).by(keeping), group, anew, source, row, before);
  store_and_finish<Hint, Order::last_pass, Stages>(group, data, kept, sink, out, result, cols, shared, exists);
}

}  // namespace detail

// fold_row (below) of a row that `source.row` has found.
template <class RowData, store_hint Hint, class Group, class Row, class Source, class Stages, class Map, class Sink>
ROWFOLD_DEVICE void fold_found_row(Group& group, long long index, int cols, const Row& row, const Source& source,
                                   const Stages& stages, const Map& map, const Sink& sink, const row_stage& shared,
                                   bool exists) {
  static_assert(!detail::fetches_early<RowData> || detail::fetches<Map>,
                "a row that asks for parameters early needs a map that fetches them (row/map.cuh)");
  static_assert(Stages::template maps_by<Map>, "a fold over mapped values is over what the row's own map makes");
  using order = detail::row_order<RowData, Group, Stages, Map, Sink>;
  detail::mapped_row<RowData, Map, detail::fetches_early<RowData>> mapped(source, row, group, map, shared);
  decltype(sink.row(index, cols)) out{};
  if constexpr (order::finds_outputs_early) out = sink.row(index, cols);
  if constexpr (order::source_first) detail::store_of_source<Hint>(mapped.data, map, sink, out);
  if constexpr (order::keeps) {
    detail::fold_keeping_results<order, Hint>(group, index, cols, mapped.data, mapped.map, row, source, stages, map,
                                              sink, out, shared, exists);
  } else {
    const auto result = fold_stages(stages, group, mapped.data, source, row, no_result{});
    if constexpr (!order::finds_outputs_early) out = sink.row(index, cols);
    detail::store_and_finish<Hint, order::last_pass, Stages>(group, mapped.data, mapped.map, sink, out, result, cols,
                                                             shared, exists);
  }
}

// Folds row `index`, maps it and stores it. All threads of the group call it together (of the warp, where groups lie
// within warps), with cols == 0 in a group that has no row; `exists` tells a row without columns from no row. RowData
// is held_row or reread_row, or staged_row or part_row with what the group has of shared memory, or its part of the
// row. Usable in a user's own kernel.
template <class RowData, store_hint Hint = store_hint::write_back, class Group, class Source, class Stages, class Map,
          class Sink>
ROWFOLD_DEVICE void fold_row(Group& group, long long index, int cols, const Source& source, const Stages& stages,
                             const Map& map, const Sink& sink, const row_stage& shared, bool exists) {
  fold_found_row<RowData, Hint>(group, index, cols, source.row(index, cols), source, stages, map, sink, shared, exists);
}
template <class RowData, store_hint Hint = store_hint::write_back, class Group, class Source, class Stages, class Map,
          class Sink>
ROWFOLD_DEVICE void fold_row(Group& group, long long index, int cols, const Source& source, const Stages& stages,
                             const Map& map, const Sink& sink) {
  static_assert(!detail::needs_stage<RowData>, "a staged_row or part_row needs a row_stage");
  fold_row<RowData, Hint>(group, index, cols, source, stages, map, sink, row_stage{}, cols > 0);
}

// The same for rows `index` and `index + 1`, which every thread has together. RowData is held_row_pair.
template <class RowData, class Group, class Source, class Stages, class Map, class Sink>
ROWFOLD_DEVICE void fold_row_pair(Group& group, long long index, int cols, const Source& source, const Stages& stages,
                                  const Map& map, const Sink& sink, bool exists) {
  const row_pair<typename Source::row_type> rows{source.row(index, cols), source.row(index + 1, cols)};
  RowData data(source, rows, group);
  const row_pair<decltype(sink.row(index, cols))> out{sink.row(index, cols), sink.row(index + 1, cols)};
  const auto result = fold_stages_of_pair(stages, group, data, source, rows, row_pair<no_result>{});
  group.order_memory();  // orders the reads in the folds above before the stores below, which may overwrite the rows
  data.for_each(
      detail::granule_pair_storer<Map, Sink, decltype(out.first), decltype(result.first)>{map, sink, out, result});
  if (detail::finishes(sink, cols, exists) && group.rank() == 0) {
    sink.finish(out.first, result.first);
    sink.finish(out.second, result.second);
  }
}

namespace detail {

// Before a kernel's first access to memory.
ROWFOLD_DEVICE void await_memory() {
  simt::wait_for_previous_grid();  // orders the previous grid's writes before all loads below
  // The next grid waits here, too, so from here on it may start. If it is let in before our own wait, blocks of two
  // later grids fill the multiprocessors unevenly (bfloat16 LayerNorm, 256 x 4096 in L2: 3.6 microseconds a call, and
  // 2.5).
  simt::allow_next_grid();
}

// Which row a group has, or which part of one.
struct row_place {
  long long index;  // of the row
  bool exists;      // the last block may have groups to spare
  row_stage stage;
};

// The place of the calling thread's group. `shared`: the block's shared memory, in which storage for folds comes first,
// then a tile for each thread, where accesses are of any kind, then the stages of the block's rows.
template <class Tile, class RowData, int Granule, int WidestColumn, class Group>
ROWFOLD_DEVICE row_place find_place(const row_tiling& tiling, const Group& group, unsigned char* shared) {
  constexpr bool across_warps = Tile::kind == group_kind::across_warps;
  row_place place{simt::block_rank(), true, {}};
  int slot = 0;  // which of the block's rows
  if constexpr (across_warps) {
    place.index = ((place.index << tiling.slots_log2) + group.slot()) * Tile::rows;
  } else if (group.within_warp()) {
    slot = static_cast<int>(simt::thread_rank()) >> tiling.lanes_log2;
    place.index = place.index * tiling.rows_per_block + slot;
  }
  if constexpr (Tile::in_parts) {
    // With more than one part, all parts together are fewer than 2^31: the planner sees to it.
    if (tiling.parts.divisor > 1) {
      const unsigned part = static_cast<unsigned>(place.index);
      const unsigned row = tiling.parts.quotient(part);
      const int part_of_row = static_cast<int>(part - row * tiling.parts.divisor);
      place.stage.first = part_of_row * (tiling.lanes * RowData::vectors * Granule);
      place.index = row;
    }
  }
  place.exists = (!across_warps && !group.within_warp()) || place.index < tiling.rows;
  if constexpr (Tile::staged) {
    constexpr int tile_bytes = Tile::access == granule_access::any ? Granule * WidestColumn : 0;
    unsigned char* const tiles = shared + sizeof(row_group_storage);
    unsigned char* const stages = tiles + static_cast<int>(simt::block_threads()) * tile_bytes;
    place.stage = {stages + slot * tiling.stage_bytes,
                   tiles + (static_cast<int>(simt::thread_rank()) - group.segment().rank) * tile_bytes,
                   tiling.stage_columns, tiling.cols};
  }
  place.stage.priority = tiling.priority;
  if (!place.exists) place.index = 0;
  return place;
}

}  // namespace detail

// One group per row, or per part of a row; one-shot: the grid covers all rows.
template <class Tile, class Source, class Stages, class Map, class Sink>
__global__ void ROWFOLD_MAX_REGISTERS(Tile::max_registers)
    row_kernel(row_tiling tiling, Source source, Stages stages, Map map, Sink sink) {
  using row_data = typename Tile::template row_data<Source>;
  unsigned char* shared = nullptr;
  if constexpr (Tile::kind != group_kind::warp) shared = &simt::shared<unsigned char>();
  auto group = detail::make_group<Tile>(tiling, shared);
  const auto place = detail::find_place<Tile, row_data, Source::granule, Sink::widest_column>(tiling, group, shared);
  const int cols = place.exists ? tiling.cols : 0;
  if constexpr (Tile::rows == 2) {  // the number of rows is even
    detail::await_memory();
    fold_row_pair<row_data>(group, place.index, cols, source, stages, map, sink, place.exists);
  } else if constexpr (Tile::kind == group_kind::block && finds_rows_alone<Source>) {
    const auto row = source.row(place.index, cols);
    detail::await_memory();
    fold_found_row<row_data, store_hint::write_back>(group, place.index, cols, row, source, stages, map, sink,
                                                     place.stage, place.exists);
  } else {
    detail::await_memory();
    fold_row<row_data>(group, place.index, cols, source, stages, map, sink, place.stage, place.exists);
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

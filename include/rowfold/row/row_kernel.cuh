// SPDX-License-Identifier: MIT
// The row engine's kernel: every row op is this kernel with other parts. Load the row, fold it stage by stage, map it,
// store it.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/row_data.cuh"
#include "rowfold/row/row_group.cuh"
#include "rowfold/row/stages.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// How rows lie on blocks and threads: what the kernel needs of a plan.
struct row_tiling {
  long long rows;
  int cols;
  int lanes;           // threads that share a row
  int rows_per_block;  // 1 if lanes > 32
  int lanes_log2;      // of lanes <= 32
};

inline namespace ROWFOLD_BACKEND {

namespace detail {

// Maps granules and stores them: the last pass over a row.
template <store_hint Hint, class Map, class Sink, class OutRow, class Result>
struct granule_storer {
  const Map& map;
  const Sink& sink;
  const OutRow& out;
  const Result& result;
  lane_segment segment;

  template <class Values, class Position>
  ROWFOLD_DEVICE void operator()(const Values& values, const Position& position) const {
    sink.template store<Hint>(out, map(values, position, result), position, segment);
  }
};

// That pass, once the map is resolved.
template <store_hint Hint, class RowData, class Sink, class OutRow, class Result>
struct store_pass {
  RowData& data;
  const Sink& sink;
  const OutRow& out;
  const Result& result;
  lane_segment segment;

  template <class Map>
  ROWFOLD_DEVICE void operator()(const Map& map) const {
    data.for_each(granule_storer<Hint, Map, Sink, OutRow, Result>{map, sink, out, result, segment});
  }
};

}  // namespace detail

// Folds row `index`, maps it and stores it. All threads of the group call it together (of the warp, where groups lie
// within warps), with cols == 0 in a group that has no row. RowData is held_row or reread_row. Usable in a user's own
// kernel.
template <class RowData, store_hint Hint = store_hint::write_back, class Group, class Source, class Stages, class Map,
          class Sink>
ROWFOLD_DEVICE void fold_row(Group& group, long long index, int cols, const Source& source, const Stages& stages,
                             const Map& map, const Sink& sink) {
  const auto row = source.row(index, cols);
  RowData data(source, row, group);
  const auto out = sink.row(index, cols);  // behind the loads, which must not wait for it
  const auto result = fold_stages(stages, group, data, source, row, no_result{});
  if constexpr (Stages::count > 0) group.order_memory();  // the row may be overwritten in place
  map.resolve(detail::store_pass<Hint, RowData, Sink, decltype(out), decltype(result)>{data, sink, out, result,
                                                                                       group.segment()});
  if (cols > 0 && group.rank() == 0) sink.finish(out, result);
}

// The parts of a kernel that are fixed at compile time.
template <group_kind Kind, granule_access Access, int Vectors, int MaxRegisters, int Lanes = 0>
struct row_tile {
  static constexpr group_kind kind = Kind;
  static constexpr granule_access access = Access;
  static constexpr int vectors = Vectors;
  static constexpr int lanes = Lanes;                 // 0: known at run time only
  static constexpr int max_registers = MaxRegisters;  // of a thread: bounds how many threads a multiprocessor holds
};

// One group per row, one-shot: the grid covers all rows.
template <template <granule_access, int, class> class RowData, class Tile, class Source, class Stages, class Map,
          class Sink>
__global__ void ROWFOLD_MAX_REGISTERS(Tile::max_registers)
    row_kernel(row_tiling tiling, Source source, Stages stages, Map map, Sink sink) {
  simt::wait_for_previous_grid();  // orders the previous grid's writes before all loads below
  simt::allow_next_grid();         // the next grid waits at its own top, so it may start at any time
  row_group_storage* storage = nullptr;
  if (Tile::kind != group_kind::warp && tiling.lanes > 32) storage = &simt::shared<row_group_storage>();
  row_group<Tile::kind, Tile::lanes> group(tiling.lanes, storage);
  long long index = simt::block_rank();
  if (Tile::kind == group_kind::warp || (Tile::kind == group_kind::either && tiling.rows_per_block > 1)) {
    index = index * tiling.rows_per_block + (simt::thread_rank() >> tiling.lanes_log2);
  }
  const bool exists =
      Tile::kind == group_kind::block || index < tiling.rows;  // the last block may have groups to spare
  fold_row<RowData<Tile::access, Tile::vectors, Source>>(group, exists ? index : 0, exists ? tiling.cols : 0, source,
                                                         stages, map, sink);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

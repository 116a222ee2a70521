// SPDX-License-Identifier: MIT
// Stores a thread's granules of a row: what the map makes of them in the last pass, and outputs of the source's values
// alone, which may go ahead of the folds. All lanes of the warp call it together.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/row/sink.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace detail {

// Which outputs a pass stores.
enum class stored_outputs { all, of_source, of_map };

// Called for each granule in one pass over a row.
template <store_hint Hint, stored_outputs Which, class RowData, class Map, class Sink, class OutRow, class Result>
struct granule_storer {
  const RowData& data;
  const Map& map;
  const Sink& sink;
  const OutRow& out;
  const Result& result;

  template <class Values, class Position>
  ROWFOLD_DEVICE void operator()(const Values& values, const Position& position) const {
    if constexpr (Which == stored_outputs::of_source) {
      store<0>(values, values, position);
    } else {
      store<0>(values, map(values, position, result), position);
    }
  }

 private:
  template <int I>
  static constexpr bool stores = Which == stored_outputs::all ||
                                 stores_source<Sink, I> == (Which == stored_outputs::of_source);

  template <int I, class Values, class Mapped, class Position>
  ROWFOLD_DEVICE void store(const Values& values, const Mapped& mapped, const Position& position) const {
    if constexpr (I < Sink::output_count && !stores<I>) {
      store<I + 1>(values, mapped, position);
    } else if constexpr (I < Sink::output_count) {
      const auto to = sink.template output<I>(out);
      if constexpr (is_optional<decltype(to)>) {
        if (to.data != nullptr) store_at<I>(to.data, values, mapped, position);
      } else {
        store_at<I>(to, values, mapped, position);
      }
      store<I + 1>(values, mapped, position);
    }
  }

  template <int I, class To, class Values, class Mapped, class Position>
  ROWFOLD_DEVICE void store_at(const To& to, const Values& values, const Mapped& mapped,
                               const Position& position) const {
    data.template store<Hint>(to, position, sink.template pack<I>(out, position, values, mapped, result));
  }
};

// Stores the outputs that Which names, of all of the thread's granules.
template <store_hint Hint, stored_outputs Which, class RowData, class Map, class Sink, class OutRow, class Result>
ROWFOLD_DEVICE void store_granules(RowData& data, const Map& map, const Sink& sink, const OutRow& out,
                                   const Result& result) {
  if constexpr (Sink::output_count > 0) {
    data.for_each(granule_storer<Hint, Which, RowData, Map, Sink, OutRow, Result>{data, map, sink, out, result});
  }
}

}  // namespace detail
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

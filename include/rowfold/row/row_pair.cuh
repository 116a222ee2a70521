// SPDX-License-Identifier: MIT
// Two neighbouring rows in each thread, for rows whose columns lie apart: one access moves an element of both, and
// twice as much is on its way. Each row is folded, mapped and stored by the same parts as a row alone, and gets the
// same bits; what the two share is the accesses and the barriers.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/spaced_granule.cuh"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/row_data.cuh"
#include "rowfold/row/row_group.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/stages.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Something of each of the two rows.
template <class T>
struct row_pair {
  T first, second;
};

inline namespace ROWFOLD_BACKEND {
namespace detail {

template <class T>
ROWFOLD_DEVICE row_pair<T> make_row_pair(const T& first, const T& second) {
  return {first, second};
}

// Loads the granules at `column` of both rows from each of the source's tensors; `row` is the first of them.
template <granule_access Access, int I = 0, class Source, class Row, class First, class... Rest>
ROWFOLD_DEVICE void load_list_pair(granule_list<First, Rest...>& first, granule_list<First, Rest...>& second,
                                   const Source& source, const Row& row, int column) {
  static_assert(packed_shape<First>::elements == Source::granule, "columns that lie apart have one element each");
  load_granule_pair<Access>(source.template input<I>(row), row.cols, column, first.first, second.first);
  if constexpr (sizeof...(Rest) > 0) load_list_pair<Access, I + 1>(first.rest, second.rest, source, row, column);
}

}  // namespace detail

// As held_row (row/held_row.cuh), of both rows: for_each calls f(values of both, positions of both).
template <int Vectors, class Source>
class held_row_pair {
  static_assert(detail::kept_granules<Source>::are_inputs, "a source of columns that lie apart keeps what it has read");

 public:
  template <class Group>
  ROWFOLD_DEVICE held_row_pair(const Source& source, const row_pair<typename Source::row_type>& rows,
                               const Group& group)
      : source_(source),
        rows_(rows),
        column_(group.rank() * Source::granule),
        step_(group.lanes() * Source::granule),
        segment_(group.segment()) {
    ROWFOLD_UNROLL
    for (int k = 0; k < Vectors; ++k) {
      detail::load_list_pair<granule_access::whole>(first_[k], second_[k], source_, rows_.first, column_ + k * step_);
    }
  }

  template <int K = 0, class F>
  ROWFOLD_DEVICE void for_each(F&& f) {
    first_[K] = detail::hidden_list(first_[K]);  // unpacked again each time: two rows leave no registers for values
    second_[K] = detail::hidden_list(second_[K]);
    const auto positions = detail::make_row_pair(position(rows_.first, K), position(rows_.second, K));
    f(detail::make_row_pair(detail::unpack_list(source_, rows_.first, positions.first, first_[K]),
                            detail::unpack_list(source_, rows_.second, positions.second, second_[K])),
      positions);
    if constexpr (K + 1 < Vectors) for_each<K + 1>(f);
  }

 private:
  // Read-only loads of parameters would serve both rows, but all be asked for at once, which takes a sixth of the
  // threads.
  using at = granule_position<granule_access::whole>;

  ROWFOLD_DEVICE at position(const typename Source::row_type& row, int k) const {
    return {row.index, column_ + k * step_, row.cols, segment_, k, k + 1 < Vectors, k == 0};
  }

  const Source& source_;
  row_pair<typename Source::row_type> rows_;
  int column_;
  int step_;
  lane_segment segment_;
  typename Source::inputs first_[Vectors];
  typename Source::inputs second_[Vectors];
};

namespace detail {

// Adds granules of both rows to the lane's states.
template <class Stage, class State, class Context>
struct granule_pair_adder {
  const Stage& stage;
  row_pair<State>& states;
  const row_pair<Context>& contexts;

  template <class Values, class Position>
  ROWFOLD_DEVICE void operator()(const row_pair<Values>& values, const row_pair<Position>& positions) const {
    stage.add(states.first, values.first, positions.first, contexts.first);
    stage.add(states.second, values.second, positions.second, contexts.second);
  }
};

// Maps granules of both rows and stores them.
template <class Map, class Sink, class OutRow, class Result>
struct granule_pair_storer {
  const Map& map;
  const Sink& sink;
  const row_pair<OutRow>& out;
  const row_pair<Result>& results;

  template <class Values, class Position>
  ROWFOLD_DEVICE void operator()(const row_pair<Values>& values, const row_pair<Position>& positions) const {
    store<0>(values,
             make_row_pair(map(values.first, positions.first, results.first),
                           map(values.second, positions.second, results.second)),
             positions);
  }

 private:
  template <int I, class Values, class Mapped, class Position>
  ROWFOLD_DEVICE void store(const row_pair<Values>& values, const row_pair<Mapped>& mapped,
                            const row_pair<Position>& positions) const {
    if constexpr (I < Sink::output_count) {
      const auto first = sink.template output<I>(out.first);
      const auto second = sink.template output<I>(out.second);
      const auto a = sink.template pack<I>(out.first, positions.first, values.first, mapped.first, results.first);
      const auto b = sink.template pack<I>(out.second, positions.second, values.second, mapped.second, results.second);
      if constexpr (is_optional<decltype(first)>) {
        if (first.data != nullptr) store_at(first.data, second.data, positions.first, a, b);
      } else {
        store_at(first, second, positions.first, a, b);
      }
      store<I + 1>(values, mapped, positions);
    }
  }

  // Side by side, or each row by itself where no access moves two elements or the columns of the output are neighbours.
  template <class T, class Position, int N>
  ROWFOLD_DEVICE void store_at(const spaced_row<T>& first, const spaced_row<T>& second, const Position& position,
                               const packed<T, N>& a, const packed<T, N>& b) const {
    if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
      store_granule_pair<Position::access>(first, position.cols, position.column, a, b);
    } else {
      store_granule<Position::access, store_hint::write_back>(first, position.cols, position.column, a);
      store_granule<Position::access, store_hint::write_back>(second, position.cols, position.column, b);
    }
  }
  template <class T, class Position, int N>
  ROWFOLD_DEVICE void store_at(T* first, T* second, const Position& position, const packed<T, N>& a,
                               const packed<T, N>& b) const {
    store_granule<Position::access, store_hint::write_back>(first, position.cols, position.column, a);
    store_granule<Position::access, store_hint::write_back>(second, position.cols, position.column, b);
  }
};

// The states of both rows, merged over the group's lanes: at once where there is room for them.
template <class Stage, class Group, class State>
ROWFOLD_DEVICE auto all_reduce_pair(const Stage& stage, Group& group, const row_pair<State>& states) {
  if constexpr (has_merge<Stage> && 2 * sizeof(State) <= row_group_storage::max_state_bytes) {
    const vec<State, 2> merged = group.all_reduce(vec<State, 2>{{states.first, states.second}}, stage.merge());
    return make_row_pair(merged[0], merged[1]);
  } else {
    const auto first = all_reduce_stage(stage, group, states.first);
    return make_row_pair(first, all_reduce_stage(stage, group, states.second));
  }
}

}  // namespace detail

// As fold_stages (row/stages.cuh).
template <class Group, class RowData, class Row, class Source, class Previous>
ROWFOLD_DEVICE auto fold_stages_of_pair(const stage_list<>&, Group&, const RowData&, const Source&,
                                        const row_pair<Row>&, const row_pair<Previous>& previous) {
  return previous;
}

template <class First, class... Rest, class Group, class RowData, class Row, class Source, class Previous>
ROWFOLD_DEVICE auto fold_stages_of_pair(const stage_list<First, Rest...>& list, Group& group, RowData& data,
                                        const Source& source, const row_pair<Row>& rows,
                                        const row_pair<Previous>& previous) {
  const First& stage = list.first;
  const auto contexts = detail::make_row_pair(stage.begin(source, rows.first, previous.first),
                                              stage.begin(source, rows.second, previous.second));
  auto states = detail::make_row_pair(stage.identity(), stage.identity());
  using context = decltype(contexts.first);
  data.for_each(detail::granule_pair_adder<First, typename First::state_type, context>{stage, states, contexts});
  const auto merged = detail::all_reduce_pair(stage, group, states);
  return fold_stages_of_pair(list.rest, group, data, source, rows,
                             detail::make_row_pair(stage.finish(merged.first, contexts.first, previous.first),
                                                   stage.finish(merged.second, contexts.second, previous.second)));
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// A map with the parameters of all of a thread's granules, asked for before the folds: where few rows are in flight,
// the wait for them does then not follow the wait for the row but runs beside it. Each thread has its own.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_data.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

template <class T>
ROWFOLD_DEVICE const T& declared();  // for decltype

// The compiler knows nothing of hidden bits, and so cannot move their loads to where they are used, after the folds.
ROWFOLD_DEVICE void hide_fetched(nothing_fetched&) {}
template <class T, int N>
ROWFOLD_DEVICE void hide_fetched(packed<T, N>& granule) {
  hide_bits(granule);
}
template <class First, class Second, int N>
ROWFOLD_DEVICE void hide_fetched(fetched_pair<First, Second, N>& fetched) {
  hide_fetched(fetched.first);
  hide_fetched(fetched.second);
}
template <class First, class Second>
ROWFOLD_DEVICE void hide_fetched(fetched_chain<First, Second>& fetched) {
  hide_fetched(fetched.first);
  hide_fetched(fetched.second);
}

}  // namespace detail

// N columns a granule, Vectors granules a thread. A held_row calls fetch for each; then it is called as the map itself.
template <class Map, int N, int Vectors>
class early_map {
 public:
  ROWFOLD_DEVICE explicit early_map(const Map& map) : map_(map) {}

  template <class At>
  ROWFOLD_DEVICE void fetch(const At& position) {
    fetched_[position.index] = map_.template fetch<N>(position);
    detail::hide_fetched(fetched_[position.index]);
  }

  template <class Values, class At, class Result>
  ROWFOLD_DEVICE auto operator()(const Values& values, const At& position, const Result& result) const {
    return map_(values, position, result, fetched_[position.index]);
  }

 private:
  using any_position = granule_position<granule_access::whole>;
  using fetched_type = decltype(detail::declared<Map>().template fetch<N>(any_position{}));

  const Map& map_;
  fetched_type fetched_[Vectors];
};

namespace detail {

// A row with what it is mapped by: the map itself, or with its parameters fetched where the row asks for them early.
template <class RowData, class = void>
inline constexpr bool fetches_early = false;
template <class RowData>
inline constexpr bool fetches_early<RowData, enable_if_t<RowData::fetches_early>> = true;

template <class RowData, class Map, bool Early>
struct mapped_row {
  using form = Map;

  RowData data;
  const Map& map;

  template <class Source, class Row, class Group>
  ROWFOLD_DEVICE mapped_row(const Source& source, const Row& row, const Group& group, const Map& plain,
                            const row_stage& shared)
      : data(source, row, group, shared), map(plain) {}
};
template <class RowData, class Map>
struct mapped_row<RowData, Map, true> {
  using form = early_map<Map, RowData::granule, RowData::vectors>;

  form map;
  RowData data;  // declared after the map, whose parameters it fetches

  template <class Source, class Row, class Group>
  ROWFOLD_DEVICE mapped_row(const Source& source, const Row& row, const Group& group, const Map& plain,
                            const row_stage& shared)
      : map(plain), data(source, row, group, map, shared) {}
};

}  // namespace detail

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

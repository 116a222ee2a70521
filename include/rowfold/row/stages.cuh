// SPDX-License-Identifier: MIT
// Stages: the folds of a row op, one after the other, each seeing the result of the one before it. LayerNorm has two
// (mean, then centred squares), softmax one, LayerNorm with dynamic quantisation three. A stage is a small value type:
//
//   using state_type = ...;                                    // trivially copyable, at most 16 bytes
//   static constexpr bool loads_first = ...;                   // begin() reads the row's first value
//   static constexpr fold_class shape_class = ...;             // optional: see row/fold_class.hpp
//   context begin(source, row, previous) const;                // what add() needs; one call per thread and row
//   state_type identity() const;                               // the state of a lane that has folded nothing
//   void add(state_type&, values, position, context) const;    // folds one granule into a lane's state
//   merge_type merge() const;                                  // operator: state x state -> state
//   result finish(state, context, previous) const;             // what later stages and the map see
// A stage whose states merge better some other way has, in place of merge(),
//   merged all_reduce(group, state) const;                     // the row's, the same bits in each lane, for finish
// and a state of any size that it merges in parts.
// A stage that needs more registers than LayerNorm's stages do says how many: static constexpr int more_registers.
// A stage that applies the map to the values (row/mapped_stage.cuh), which must be the last one, has
//   static constexpr bool applies_map = true;
//   using map_type = ...;                                      // of the map
//   auto held() const;                                         // on the host: with the map's held()
//   auto by(const Form& form) const;                           // with another form of the map
//
// The first stage's `previous` is no_result. A stage that needs earlier results later carries them in its own result.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/fold_class.hpp"
#include "rowfold/row/row_group.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// What the first stage gets as the result of the stage before it, and maps of ops that fold nothing.
struct no_result {};

namespace detail {
template <class Stage, class = void>
inline constexpr int more_registers = 0;
template <class Stage>
inline constexpr int more_registers<Stage, decltype(static_cast<void>(Stage::more_registers))> = Stage::more_registers;
template <class Stage, class = void>
inline constexpr bool applies_map = false;
template <class Stage>
inline constexpr bool applies_map<Stage, decltype(static_cast<void>(Stage::applies_map))> = Stage::applies_map;
template <class Stage, class Map, class = void>
inline constexpr bool maps_by = true;
template <class Stage, class Map>
inline constexpr bool maps_by<Stage, Map, decltype(static_cast<void>(Stage::applies_map))> =
    is_same<typename Stage::map_type, Map>;
}  // namespace detail

// The stages of an op, in order.
template <class... Stages>
struct stage_list;

template <>
struct stage_list<> {
  static constexpr int count = 0;
  static constexpr int more_registers = 0;
  static constexpr bool maps = false;  // a stage applies the map
  template <class>
  static constexpr bool maps_by = true;  // no stage applies another map
  static constexpr bool loads_first = false;
  static constexpr fold_class dearest = fold_class::norm;
  static constexpr fold_class shape_class = class_of_folds(dearest, count);
};

template <class First, class... Rest>
struct stage_list<First, Rest...> {
  static constexpr int count = 1 + stage_list<Rest...>::count;
  static constexpr int more_registers = detail::more_registers<First> > stage_list<Rest...>::more_registers
                                            ? detail::more_registers<First>
                                            : stage_list<Rest...>::more_registers;
  static_assert(!detail::applies_map<First> || sizeof...(Rest) == 0, "the last stage alone may apply the map");
  static constexpr bool maps = detail::applies_map<First> || stage_list<Rest...>::maps;
  template <class Map>
  static constexpr bool maps_by = detail::maps_by<First, Map>&& stage_list<Rest...>::template maps_by<Map>;
  static constexpr bool loads_first = First::loads_first || stage_list<Rest...>::loads_first;
  static constexpr fold_class dearest =
      detail::fold_class_of<First>::value == fold_class::softmax ? fold_class::softmax : stage_list<Rest...>::dearest;
  static constexpr fold_class shape_class = class_of_folds(dearest, count);

  First first;
  stage_list<Rest...> rest;
};

// stages(a, b, c): a, then b with a's result, then c with b's result.
ROWFOLD_HOST_DEVICE constexpr stage_list<> stages() { return {}; }

template <class First, class... Rest>
ROWFOLD_HOST_DEVICE constexpr stage_list<First, Rest...> stages(First first, Rest... rest) {
  return {first, stages(rest...)};
}

// A list with one more stage after it.
template <class Last>
ROWFOLD_HOST_DEVICE constexpr stage_list<Last> append(const stage_list<>&, Last last) {
  return {last, {}};
}
template <class First, class... Rest, class Last>
ROWFOLD_HOST_DEVICE constexpr stage_list<First, Rest..., Last> append(const stage_list<First, Rest...>& list,
                                                                      Last last) {
  return {list.first, append(list.rest, last)};
}

#if !defined(__CUDACC_RTC__)
namespace detail {

template <class First, class... Rest>
constexpr stage_list<First, Rest...> prepend(const First& first, const stage_list<Rest...>& rest) {
  return {first, rest};
}

// The stages with held() maps: for the kernels that keep rows in registers.
constexpr stage_list<> held_stages(const stage_list<>&) { return {}; }
template <class First, class... Rest>
auto held_stages(const stage_list<First, Rest...>& list) {
  if constexpr (applies_map<First>) {
    return prepend(list.first.held(), held_stages(list.rest));
  } else {
    return prepend(list.first, held_stages(list.rest));
  }
}

}  // namespace detail
#endif

inline namespace ROWFOLD_BACKEND {

namespace detail {

// Adds granules to a lane's state: what a stage does with each of them.
template <class Stage, class State, class Context>
struct granule_adder {
  const Stage& stage;
  State& state;
  const Context& context;

  template <class Values, class Position>
  ROWFOLD_DEVICE void operator()(const Values& values, const Position& position) const {
    stage.add(state, values, position, context);
  }
};

template <class Stage, class = void>
inline constexpr bool has_merge = false;
template <class Stage>
inline constexpr bool has_merge<Stage, decltype(static_cast<void>(&Stage::merge))> = true;

template <class Stage, class Group, class State>
ROWFOLD_DEVICE auto all_reduce_stage(const Stage& stage, Group& group, const State& state) {
  if constexpr (has_merge<Stage>) {
    return group.all_reduce(state, stage.merge());
  } else {
    return stage.all_reduce(group, state);
  }
}

}  // namespace detail

// Folds a row through one stage. All threads of the group call it; all get the same result, bit for bit.
template <class Stage, class Group, class RowData, class Row, class Source, class Previous>
ROWFOLD_DEVICE auto fold_stage(const Stage& stage, Group& group, RowData& data, const Source& source, const Row& row,
                               const Previous& previous) {
  const auto context = stage.begin(source, row, previous);
  auto state = stage.identity();
  data.for_each(detail::granule_adder<Stage, decltype(state), decltype(context)>{stage, state, context});
  return stage.finish(detail::all_reduce_stage(stage, group, state), context, previous);
}

// Folds a row through all stages and returns the last one's result. All threads of the group call it.
template <class Group, class RowData, class Row, class Source, class Previous>
ROWFOLD_DEVICE auto fold_stages(const stage_list<>&, Group&, const RowData&, const Source&, const Row&,
                                const Previous& previous) {
  return previous;
}

template <class First, class... Rest, class Group, class RowData, class Row, class Source, class Previous>
ROWFOLD_DEVICE auto fold_stages(const stage_list<First, Rest...>& list, Group& group, RowData& data,
                                const Source& source, const Row& row, const Previous& previous) {
  return fold_stages(list.rest, group, data, source, row, fold_stage(list.first, group, data, source, row, previous));
}

namespace detail {

// The same of all stages but the last.
template <class Last, class Group, class RowData, class Row, class Source, class Previous>
ROWFOLD_DEVICE auto fold_earlier_stages(const stage_list<Last>&, Group&, const RowData&, const Source&, const Row&,
                                        const Previous& previous) {
  return previous;
}
template <class First, class Second, class... Rest, class Group, class RowData, class Row, class Source, class Previous>
ROWFOLD_DEVICE auto fold_earlier_stages(const stage_list<First, Second, Rest...>& list, Group& group, RowData& data,
                                        const Source& source, const Row& row, const Previous& previous) {
  return fold_earlier_stages(list.rest, group, data, source, row,
                             fold_stage(list.first, group, data, source, row, previous));
}

template <class Last>
ROWFOLD_DEVICE const Last& last_stage(const stage_list<Last>& list) {
  return list.first;
}
template <class First, class Second, class... Rest>
ROWFOLD_DEVICE const auto& last_stage(const stage_list<First, Second, Rest...>& list) {
  return last_stage(list.rest);
}

}  // namespace detail

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// A fold over mapped values: what a row's dynamic scale needs, which is made of the largest value after a norm. Called
// as every stage is (row/stages.cuh): by all threads of the group together.
//
//   stages(rms_stage, mapped_stage<Map, Stage>{map, stage})   // or append(folds, mapped_stage<Map, Stage>{map, stage})
//
// The map is applied to the values with the result of the stage before, and Stage folds what it makes. It is the map by
// which the row is mapped in the end, and the stage is the last one: kernels that hold rows in registers keep what the
// map has made (row/kept_results.cuh), the others apply it once more in the last pass. Both results are there
// afterwards: maps and sinks that look for either find it.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/fold_class.hpp"
#include "rowfold/row/stages.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// The results of two stages, as one that converts to each.
template <class Previous, class Own>
struct carried_result : Previous, Own {};

namespace detail {
template <class Previous, class Context>
struct mapped_context {
  const Previous& previous;
  Context own;
};
}  // namespace detail

inline namespace ROWFOLD_BACKEND {

// Stage: a stage that could be the first one, and does not ask for the row's first value.
template <class Map, class Stage>
struct mapped_stage {
  static_assert(!Stage::loads_first, "the first value of a row is not a mapped one");
  using state_type = typename Stage::state_type;
  static constexpr bool loads_first = false;
  static constexpr bool applies_map = true;
  using map_type = Map;
  static constexpr fold_class shape_class = detail::fold_class_of<Stage>::value;

  Map map;
  Stage stage;

#if !defined(__CUDACC_RTC__)
  auto held() const { return mapped_stage<decltype(map.held()), Stage>{map.held(), stage}; }
#endif

  // The same by another form of the map.
  template <class Form>
  ROWFOLD_DEVICE mapped_stage<Form, Stage> by(const Form& form) const {
    return {form, stage};
  }

  template <class Source, class Row, class Previous>
  ROWFOLD_DEVICE auto begin(const Source& source, const Row& row, const Previous& previous) const {
    using context = decltype(stage.begin(source, row, no_result{}));
    return detail::mapped_context<Previous, context>{previous, stage.begin(source, row, no_result{})};
  }
  ROWFOLD_DEVICE state_type identity() const { return stage.identity(); }
  template <class Values, class Position, class Context>
  ROWFOLD_DEVICE void add(state_type& state, const Values& values, const Position& position,
                          const Context& context) const {
    stage.add(state, map(values, position, context.previous), position, context.own);
  }
  template <class Group>
  ROWFOLD_DEVICE auto all_reduce(Group& group, const state_type& state) const {
    return detail::all_reduce_stage(stage, group, state);
  }
  template <class Merged, class Context, class Previous>
  ROWFOLD_DEVICE auto finish(const Merged& merged, const Context& context, const Previous& previous) const {
    using own = decltype(stage.finish(merged, context.own, no_result{}));
    return carried_result<Previous, own>{previous, stage.finish(merged, context.own, no_result{})};
  }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

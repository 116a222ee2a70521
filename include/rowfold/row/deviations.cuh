// SPDX-License-Identifier: MIT
// The second look at a row that its variance needs: sums of the deviations from the mean found by the first, and of
// their squares (the corrected two-pass algorithm, see row/normalize.cuh; here terms are added in pairs).
//
// Sums of deviations from any number near the mean give the variance. Where the computed mean is within its own error
// of the row's first element, that element is taken: so a row of equal elements has the variance 0 exactly.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/joined_stage.cuh"
#include "rowfold/row/mean_tolerance.hpp"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/statistic_folds.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// The states of a row's folds, and its first element (0 of a row without columns).
template <class Accumulate, class States>
struct states_with_first {
  States states;
  Accumulate first;
};

// The states of a row's folds, and its deviations from a number near the mean.
template <class Accumulate, class States>
struct states_with_deviations {
  States states;
  deviation_sums<Accumulate> sums;
};

inline namespace ROWFOLD_BACKEND {

// A first stage that also keeps the row's first element.
template <class Accumulate, class Stage>
struct first_element_stage {
  using state_type = typename Stage::state_type;
  static constexpr bool loads_first = true;
  static constexpr int more_registers = Stage::more_registers;

  Stage stage;

  template <class Source, class Row>
  ROWFOLD_DEVICE Accumulate begin(const Source& source, const Row& row, const no_result&) const {
    return row.cols > 0 ? source.first(row) : Accumulate(0);
  }
  ROWFOLD_DEVICE state_type identity() const { return stage.identity(); }
  template <class Values, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const Values& x, const Position& position, const Accumulate&) const {
    stage.add(state, x, position, no_result{});
  }
  template <class Group>
  ROWFOLD_DEVICE state_type all_reduce(Group& group, const state_type& state) const {
    return stage.all_reduce(group, state);
  }
  ROWFOLD_DEVICE states_with_first<Accumulate, state_type> finish(const state_type& total, const Accumulate& first,
                                                                  const no_result&) const {
    return {total, first};
  }
};

// The stage after it. Sums is the granule fold of the elements' sum, one of the first stage's.
template <class Accumulate, class Sums>
struct deviations_stage {
  using state_type = deviation_sums<Accumulate>;
  static constexpr bool loads_first = false;

  mean_tolerance<Accumulate> tolerance;

  template <class Source, class Row, class States>
  ROWFOLD_DEVICE Accumulate begin(const Source&, const Row& row,
                                  const states_with_first<Accumulate, States>& previous) const {
    return mean_or_first(mean_of(state_of<Sums>(previous.states), row.cols), previous.first, tolerance);
  }
  ROWFOLD_DEVICE state_type identity() const { return {Accumulate(0), Accumulate(0)}; }
  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Accumulate, N>& x, const Position& position,
                          const Accumulate& pivot) const {
    const auto deviation = [&](int i) { return math::sub_rn(x[i], pivot); };
    state.deviations = math::add_rn(state.deviations, granule_sum<Accumulate, N>(position, deviation));
    const auto square = [&](int i) { return math::mul_rn(deviation(i), deviation(i)); };
    state.squares = math::add_rn(state.squares, granule_sum<Accumulate, N>(position, square));
  }
  ROWFOLD_DEVICE typename centred_stage<Accumulate>::add_states merge() const { return {}; }
  template <class States>
  ROWFOLD_DEVICE states_with_deviations<Accumulate, States> finish(
      const state_type& total, const Accumulate&, const states_with_first<Accumulate, States>& previous) const {
    return {previous.states, total};
  }
};

// The variance from sums over `count` elements: the sum of squared deviations from the mean / (count - correction).
template <class Accumulate>
ROWFOLD_DEVICE Accumulate variance_of(const deviation_sums<Accumulate>& sums, int count, int correction) {
  const Accumulate mean_deviation = math::div_rn(sums.deviations, static_cast<Accumulate>(count));
  const Accumulate squares = math::fma_rn(-mean_deviation, sums.deviations, sums.squares);
  const Accumulate divisor = static_cast<Accumulate>(correction < count ? count - correction : 0);
  // Rounding may leave a sum of squares just below 0; a NaN stays one.
  return math::div_rn(squares < Accumulate(0) ? Accumulate(0) : squares, divisor);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

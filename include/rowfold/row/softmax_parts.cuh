// SPDX-License-Identifier: MIT
// The stages and the maps of softmax and log-softmax: the largest value, then the sum of e^(x - largest), then the
// quotients or the logarithms. Two folds in place of one online (max, sum) fold: rows that are kept or staged cost no
// more to fold twice, and every exponential is then taken once, relative to the final maximum, and used for sum and
// result.
//
// The sum of a granule is a tree, those of a lane are added with the rounding error carried along (Kahan 1965), lanes
// merge in the library's tree: no chain of additions grows with the width, also in rows of equal values, whose rounding
// errors all have one sign.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/exp_weight.cuh"
#include "rowfold/numeric/log.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/masked_row.hpp"
#include "rowfold/row/row_problem.hpp"
#include "rowfold/row/stages.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// The weights of rows of X whose results are Y. Rows of 16 bits have half as many bytes to each exponential: computed
// exactly, it would take longer than memory does.
template <class X, class Y, bool Half = is_half_type<X>&& is_half_type<Y>>
struct softmax_weight_of {
  using type = exact_exp_weight<accumulate_t<X>>;
};
template <class X, class Y>
struct softmax_weight_of<X, Y, true> {
  using type = approximate_exp_weight;
};
template <class X, class Y>
using softmax_weight = typename softmax_weight_of<X, Y>::type;

inline namespace ROWFOLD_BACKEND {

namespace detail {

// What values are subtracted from: the largest one, or 0 where it is -inf, so that -inf - -inf is never formed.
template <class Accumulate>
ROWFOLD_DEVICE Accumulate shift_of(Accumulate largest) {
  return largest == -limits<Accumulate>::infinity ? Accumulate(0) : largest;
}

ROWFOLD_DEVICE float reciprocal(float total) { return math::reciprocal_of_normal(total); }
ROWFOLD_DEVICE double reciprocal(double total) { return math::div_rn(1.0, total); }

// A sum and what rounding added to it too much.
template <class Accumulate>
struct compensated_sum {
  Accumulate sum;
  Accumulate excess;
};

}  // namespace detail

// The largest value of a row; NaN if there is one; -inf of no value.
template <class Accumulate>
struct maximum_stage {
  using state_type = Accumulate;
  static constexpr bool loads_first = false;
  static constexpr fold_class shape_class = fold_class::softmax;

  template <class Source, class Row>
  ROWFOLD_DEVICE no_result begin(const Source&, const Row&, no_result) const {
    return {};
  }
  ROWFOLD_DEVICE state_type identity() const { return -limits<Accumulate>::infinity; }
  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& largest, const vec<Accumulate, N>& x, const Position& position, no_result) const {
    if constexpr (Position::access == granule_access::any) {
      position.template for_each_column<N>([&](int i) { largest = math::maximum(largest, x[i]); });
    } else {
      vec<Accumulate, N> m = x;
      ROWFOLD_UNROLL
      for (int count = N / 2; count > 0; count /= 2) {
        ROWFOLD_UNROLL
        for (int i = 0; i < count; ++i) m[i] = math::maximum(m[2 * i], m[2 * i + 1]);
      }
      largest = position.exists() ? math::maximum(largest, m[0]) : largest;
    }
  }
  ROWFOLD_DEVICE maximum merge() const { return {}; }
  ROWFOLD_DEVICE Accumulate finish(state_type largest, no_result, no_result) const { return largest; }
};

// What is known of a row after its folds. `largest` is in the source's unit; the weights come along, so that the map
// computes the very numbers that were summed.
template <class Weight>
struct softmax_statistics {
  using weight_type = Weight;
  using Accumulate = typename Weight::value_type;

  Accumulate largest;
  Accumulate factor;  // 1 / sum of the weights; NaN or 0 for rows without a softmax
  Weight weight;

  static ROWFOLD_DEVICE softmax_statistics make(Accumulate largest, Accumulate total, masked_row masked,
                                                const Weight& weight) {
    if (math::is_finite(largest)) return {largest, detail::reciprocal(total), weight};
    const bool zero = largest == -limits<Accumulate>::infinity && masked == masked_row::zero;
    return {largest, zero ? Accumulate(0) : math::canonical_nan<Accumulate>(), weight};
  }

  // The logarithm of the sum of e^((x - largest) * unit).
  ROWFOLD_DEVICE Accumulate log_sum() const { return -math::log(math::mul_rn(factor, Weight::scale)); }
};

template <class Weight>
struct log_softmax_statistics {
  using weight_type = Weight;
  using Accumulate = typename Weight::value_type;

  Accumulate largest;
  Accumulate log_of_sum;  // of e^((x - largest) * unit); NaN or 0 for rows without a softmax
  Weight weight;

  static ROWFOLD_DEVICE log_softmax_statistics make(Accumulate largest, Accumulate total, masked_row masked,
                                                    const Weight& weight) {
    if (math::is_finite(largest)) {
      return {largest, math::log(math::mul_rn(total, Weight::inverse_scale)), weight};
    }
    // With 0 every value of a masked row stays -inf.
    const bool zero = largest == -limits<Accumulate>::infinity && masked == masked_row::zero;
    return {largest, zero ? Accumulate(0) : math::canonical_nan<Accumulate>(), weight};
  }

  ROWFOLD_DEVICE Accumulate log_sum() const { return log_of_sum; }
};

// The sum of the weights e^((x - largest) * unit).
template <class Statistics>
struct weight_sum_stage {
  using Weight = typename Statistics::weight_type;
  using Accumulate = typename Weight::value_type;
  using state_type = detail::compensated_sum<Accumulate>;
  static constexpr bool loads_first = false;

  Weight weight;
  masked_row masked;

  template <class Source, class Row>
  ROWFOLD_DEVICE Accumulate begin(const Source&, const Row&, Accumulate largest) const {
    return detail::shift_of(largest);
  }
  ROWFOLD_DEVICE state_type identity() const { return {Accumulate(0), Accumulate(0)}; }

  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Accumulate, N>& x, const Position& position,
                          Accumulate shift) const {
    // Weights of all columns, also of those that do not exist: the map then finds the same values computed.
    vec<Accumulate, N> w;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      w[i] = weight_of(weight, math::sub_rn(x[i], shift));
      if constexpr (Position::access == granule_access::any) {
        w[i] = position.column + i < position.cols ? w[i] : Accumulate(0);
      }
    }
    ROWFOLD_UNROLL
    for (int count = N / 2; count > 0; count /= 2) {
      ROWFOLD_UNROLL
      for (int i = 0; i < count; ++i) w[i] = math::add_rn(w[2 * i], w[2 * i + 1]);
    }
    const Accumulate added = math::sub_rn(w[0], state.excess);
    const Accumulate sum = math::add_rn(state.sum, added);
    const Accumulate excess = math::sub_rn(math::sub_rn(sum, state.sum), added);
    // A choice between values and no branch, into which the compiler would move the exponentials.
    const bool exists = position.exists();
    state = {exists ? sum : state.sum, exists ? excess : state.excess};
  }

  // Of a lane, the sum alone counts: what it lacks is less than its last place.
  template <class Group>
  ROWFOLD_DEVICE Accumulate all_reduce(Group& group, const state_type& state) const {
    return group.all_reduce(state.sum, sum{});
  }
  ROWFOLD_DEVICE Statistics finish(Accumulate total, Accumulate, Accumulate largest) const {
    return Statistics::make(largest, total, masked, weight);
  }
};

// Both stages, for values in a source's unit. Statistics: softmax_statistics or log_softmax_statistics of a weight.
template <class Statistics>
ROWFOLD_HOST_DEVICE constexpr stage_list<maximum_stage<typename Statistics::Accumulate>, weight_sum_stage<Statistics>>
softmax_stages(double unit, masked_row masked) {
  return stages(maximum_stage<typename Statistics::Accumulate>{},
                weight_sum_stage<Statistics>{make_weight<typename Statistics::weight_type>(unit), masked});
}

// The weight of each value over the sum of all.
struct softmax_map : plain_map<softmax_map> {
  template <class Accumulate, int N, class Position, class Weight>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& x, const Position&,
                                               const softmax_statistics<Weight>& s) const {
    const Accumulate shift = detail::shift_of(s.largest);
    vec<Accumulate, N> y;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) y[i] = math::mul_rn(weight_of(s.weight, math::sub_rn(x[i], shift)), s.factor);
    return y;
  }
};

// (x - largest) * unit - log(sum).
struct log_softmax_map : plain_map<log_softmax_map> {
  template <class Accumulate, int N, class Position, class Weight>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& x, const Position&,
                                               const log_softmax_statistics<Weight>& s) const {
    const Accumulate shift = detail::shift_of(s.largest);
    vec<Accumulate, N> y;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) y[i] = math::fma_rn(math::sub_rn(x[i], shift), s.weight.unit, -s.log_of_sum);
    return y;
  }
};

// Keeps each row's log-sum-exp of the scaled values, [rows] or null: -inf of a row of nothing but -inf.
template <class Accumulate>
struct log_sum_exp_sink {
  Accumulate* log_sum_exp;

  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  using row_type = long long;
  ROWFOLD_DEVICE row_type row(long long row, int) const { return row; }

  template <class Statistics>
  ROWFOLD_DEVICE void finish(const row_type& row, const Statistics& s) const {
    if (log_sum_exp == nullptr) return;
    const bool masked = s.largest == -limits<Accumulate>::infinity;
    store_element<store_hint::write_back>(log_sum_exp + row,
                                          masked ? s.largest : math::fma_rn(s.largest, s.weight.unit, s.log_sum()));
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    if (log_sum_exp != nullptr) problem.add(make_operand("log_sum_exp", operand_kind::statistic, log_sum_exp));
  }
#endif
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The stages and the map of LayerNorm: the mean, then the centred moments, then (x - mean) * rstd.
//
// The corrected two-pass algorithm (Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983): the
// second pass sums the deviations too, and so learns how far the rounded mean is off.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/folds/sum.cuh"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/mean_tolerance.hpp"
#include "rowfold/row/stages.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// How 1 / sqrt(variance + eps) is computed.
struct accurate_math {};  // correctly rounded in float
struct fast_math {};      // the hardware's approximation: see math::fast::rsqrt for its error

namespace detail {
template <class Math>
inline constexpr bool is_math = is_same<Math, accurate_math> || is_same<Math, fast_math>;
}  // namespace detail

// A row's mean is `mean + correction`: the sum of two numbers holds it far more closely than one.
template <class Accumulate>
struct normalize_statistics {
  Accumulate mean;
  Accumulate correction;
  Accumulate rstd;  // 1 / sqrt(variance + eps), the variance being the mean of squares (biased)
};

inline namespace ROWFOLD_BACKEND {

// A row of equal values must get exactly their value as its mean, so that its deviations are exactly 0: a mean that is
// within the tolerance of the first value becomes the first value. For other rows that moves the mean by no more than
// its own error, which a pass over the deviations repairs anyway.
template <class Accumulate>
ROWFOLD_DEVICE Accumulate mean_or_first(Accumulate mean, Accumulate first,
                                        const mean_tolerance<Accumulate>& tolerance) {
  const Accumulate distance = math::sub_rn(mean, first);
  const Accumulate size = first < Accumulate(0) ? -first : first;
  const Accumulate bound = math::sub_rn(math::fma_rn(tolerance.factor, size, tolerance.absolute), size);
  return -bound <= distance && distance <= bound ? first : mean;  // a NaN stays one
}

// The mean of a row, within rounding: the sum of x / cols, which overflows only if the mean does.
template <class Accumulate>
struct mean_stage {
  using state_type = Accumulate;
  static constexpr bool loads_first = true;

  Accumulate inverse_cols;  // 1 / cols
  mean_tolerance<Accumulate> tolerance;

  template <class Source, class Row>
  ROWFOLD_DEVICE Accumulate begin(const Source& source, const Row& row, no_result) const {
    return row.cols > 0 ? source.first(row) : Accumulate(0);
  }
  ROWFOLD_DEVICE state_type identity() const { return Accumulate(0); }
  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Accumulate, N>& x, const Position& position, Accumulate) const {
    position.template for_each_column<N>([&](int i) { state = math::fma_rn(x[i], inverse_cols, state); });
  }
  ROWFOLD_DEVICE sum merge() const { return {}; }
  ROWFOLD_DEVICE Accumulate finish(state_type mean, Accumulate first, no_result) const {
    return mean_or_first(mean, first, tolerance);
  }
};

// Sums of deviations from a rounded mean, and of their squares.
template <class Accumulate>
struct deviation_sums {
  Accumulate deviations;
  Accumulate squares;
};

// From a rounded mean to the statistics: correction = sum(d) / cols, variance = sum(d^2) / cols - correction^2.
template <class Accumulate, class Math = accurate_math>
struct centred_stage {
  static_assert(detail::is_math<Math>, "how the root is computed: accurate_math or fast_math");
  using state_type = deviation_sums<Accumulate>;
  static constexpr bool loads_first = false;

  Accumulate inverse_cols;  // 1 / cols, rounded
  Accumulate inverse_rest;  // what 1 / cols has beyond it
  Accumulate eps;

  struct add_states {
    template <class T>
    static constexpr bool commutative = detail::arithmetic_commutes<Accumulate>;
    ROWFOLD_DEVICE state_type operator()(const state_type& a, const state_type& b) const {
      return {math::add_rn(a.deviations, b.deviations), math::add_rn(a.squares, b.squares)};
    }
  };

  template <class Source, class Row>
  ROWFOLD_DEVICE Accumulate begin(const Source&, const Row&, Accumulate mean) const {
    return mean;
  }
  ROWFOLD_DEVICE state_type identity() const { return {Accumulate(0), Accumulate(0)}; }
  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Accumulate, N>& x, const Position& position,
                          Accumulate mean) const {
    position.template if_any_column<N>([&](int number) {
      constexpr int rest = N / 2;  // 0 of granules of one column
      const state_type lower = sums_of<0, N - rest>(x, mean, number);
      const state_type sums = rest == 0 ? lower : add_states{}(lower, sums_of<N - rest, rest>(x, mean, number));
      // 0 + sums is sums, but for -0. That is no row's sum: each x would be -0 and the mean +0, and it is -0 then, too.
      state = position.first ? sums : add_states{}(state, sums);
    });
  }
  ROWFOLD_DEVICE add_states merge() const { return {}; }
  ROWFOLD_DEVICE normalize_statistics<Accumulate> finish(const state_type& total, Accumulate mean, Accumulate) const {
    const Accumulate correction = math::mul_rn(total.deviations, inverse_cols);
    const Accumulate squares = math::fma_rn(total.squares, inverse_cols, math::mul_rn(total.squares, inverse_rest));
    const Accumulate variance = math::fma_rn(-correction, correction, squares);
    // Rounding may leave a variance just below 0; a NaN stays one.
    const Accumulate shifted = math::add_rn(variance < Accumulate(0) ? Accumulate(0) : variance, eps);
    if constexpr (is_same<Math, fast_math>) {
      return {mean, correction, math::fast::rsqrt(shifted)};
    } else {
      return {mean, correction, rounded_rsqrt(shifted)};
    }
  }

 private:
  static ROWFOLD_DEVICE Accumulate rounded_rsqrt(Accumulate x) {
    if constexpr (is_same<Accumulate, float>) {
      if (math::is_for_rsqrt_of_normal(x)) return math::rsqrt_of_normal(x);
    }
    return math::rsqrt_rn(x);
  }

  // The sums of a half of a granule, as far as its first `number` columns reach. Shorter chains than of whole granules,
  // or of all that a lane has: in a long one equal squares are all rounded alike (262144 columns of two values, float:
  // 31 ulp of y in one chain, 8 in granules; bfloat16 to float, 16 columns of one value and one of another: 10 ulp in
  // granules, where gamma and beta are the worst for them, 6 in halves).
  template <int First, int Count, int N>
  static ROWFOLD_DEVICE state_type sums_of(const vec<Accumulate, N>& x, Accumulate mean, int number) {
    state_type sums{Accumulate(0), Accumulate(0)};
    ROWFOLD_UNROLL
    for (int i = First; i < First + Count; ++i) {
      if (i < number) {
        const Accumulate d = math::sub_rn(x[i], mean);
        sums.deviations = i == First ? d : math::add_rn(sums.deviations, d);
        sums.squares = math::fma_rn(d, d, sums.squares);
      }
    }
    return sums;
  }
};

// Both stages for rows of `cols` columns that `lanes` lanes fold in granules of `granule`. eps is rounded once.
template <class Accumulate, class Math = accurate_math>
ROWFOLD_HOST_DEVICE constexpr stage_list<mean_stage<Accumulate>, centred_stage<Accumulate, Math>> normalize_stages(
    int cols, Accumulate eps, int granule, int lanes) {
  const double inverse = 1.0 / static_cast<double>(cols);
  const Accumulate rounded = static_cast<Accumulate>(inverse);
  const Accumulate rest = static_cast<Accumulate>(inverse - static_cast<double>(rounded));  // 0 in double
  return stages(mean_stage<Accumulate>{rounded, make_mean_tolerance<Accumulate>(cols, granule, lanes)},
                centred_stage<Accumulate, Math>{rounded, rest, eps});
}

// (x - mean) * rstd, the mean being mean + correction.
struct normalize_map : plain_map<normalize_map> {
  template <class Accumulate, int N, class Position>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& x, const Position&,
                                               const normalize_statistics<Accumulate>& s) const {
    vec<Accumulate, N> y;
    const Accumulate shift = math::mul_rn(-s.correction, s.rstd);
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) y[i] = math::fma_rn(math::sub_rn(x[i], s.mean), s.rstd, shift);
    return y;
  }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

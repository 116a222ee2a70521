// SPDX-License-Identifier: MIT
// The granule folds (row/joined_stage.cuh) of row statistics, for every finite row: a sum whose partial sums would
// overflow is kept scaled, as are the squares of tiny and huge elements. A granule's terms are added in pairs, so that
// the longest chain of additions is short: log2(granule) + granules a lane + log2(lanes).
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/folds/exp_sum.cuh"
#include "rowfold/folds/indexed.cuh"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/log.cuh"
#include "rowfold/numeric/math.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

template <int First, int Count, class Acc, int N>
ROWFOLD_DEVICE Acc pairwise_sum(const vec<Acc, N>& terms) {
  if constexpr (Count == 1) {
    return terms[First];
  } else {
    return math::add_rn(pairwise_sum<First, Count / 2>(terms), pairwise_sum<First + Count / 2, Count / 2>(terms));
  }
}

}  // namespace detail

// term(0) + term(1) + ... of the granule's columns that exist, added in pairs. Columns that do not exist count as 0, so
// the bits do not depend on how the granule was loaded.
template <class Acc, int N, class Position, class Term>
ROWFOLD_DEVICE Acc granule_sum(const Position& position, const Term& term) {
  vec<Acc, N> terms{};
  position.template for_each_column<N>([&](int i) { terms[i] = term(i); });
  return detail::pairwise_sum<0, N>(terms);
}

// Where sums of 2^31 elements stay in range, and by which powers of two elements beyond are scaled, which is exact.
template <class Acc>
struct sum_range;
template <>
struct sum_range<float> {
  static constexpr float large = 0x1p96f;  // granules whose sum is not smaller than this are added scaled by `down`
  static constexpr float down = 0x1p-32f, up = 0x1p32f;
};
template <>
struct sum_range<double> {
  static constexpr double large = 0x1p960;
  static constexpr double down = 0x1p-32, up = 0x1p32;
};

// A sum of up to 2^31 values that does not overflow before its end: ordinary + large * sum_range::up.
template <class Acc>
struct split_sum {
  Acc ordinary;
  Acc large;
};

template <class Acc>
ROWFOLD_DEVICE Acc total_of(const split_sum<Acc>& s) {
  return s.large == Acc(0) ? s.ordinary : math::fma_rn(s.large, sum_range<Acc>::up, s.ordinary);
}

// total / count.
template <class Acc>
ROWFOLD_DEVICE Acc mean_of(const split_sum<Acc>& s, int count) {
  const Acc n = static_cast<Acc>(count);
  if (s.large == Acc(0)) return math::div_rn(s.ordinary, n);
  const Acc scaled = math::fma_rn(s.ordinary, sum_range<Acc>::down, s.large);
  return math::mul_rn(math::div_rn(scaled, n), sum_range<Acc>::up);
}

// The term of an element in a sum.
struct element_itself {
  template <class Acc>
  ROWFOLD_DEVICE Acc operator()(Acc x) const {
    return x;
  }
};
struct element_absolute {
  template <class Acc>
  ROWFOLD_DEVICE Acc operator()(Acc x) const {
    return math::absolute(x);
  }
};

// The sum of a term of each element.
template <class Acc, class Term>
struct row_sum_fold {
  using state_type = split_sum<Acc>;
  template <class>
  static constexpr bool commutative = detail::arithmetic_commutes<Acc>;

  ROWFOLD_DEVICE state_type identity() const { return {Acc(0), Acc(0)}; }

  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Acc, N>& x, const Position& position) const {
    using range = sum_range<Acc>;
    const Acc total = granule_sum<Acc, N>(position, [&](int i) { return Term{}(x[i]); });
    if (math::absolute(total) < range::large) {
      state.ordinary = math::add_rn(state.ordinary, total);
    } else {  // or a NaN
      const Acc scaled = granule_sum<Acc, N>(position, [&](int i) { return math::mul_rn(Term{}(x[i]), range::down); });
      state.large = math::add_rn(state.large, scaled);
    }
  }

  ROWFOLD_DEVICE state_type operator()(const state_type& a, const state_type& b) const {
    return {math::add_rn(a.ordinary, b.ordinary), math::add_rn(a.large, b.large)};
  }
};

// Which sums of squares of a granule are in range, and by what the elements of others are multiplied before they are
// squared (J. L. Blue, "A portable Fortran program to find the Euclidean norm of a vector", 1978): squares that matter
// are normal numbers then, and no sum of 2^31 of them overflows.
template <class Acc>
struct square_range;
template <>
struct square_range<float> {
  static constexpr float small = 0x1p-90f, small_up = 0x1p88f, small_down = 0x1p-88f;
  static constexpr float large = 0x1p90f, large_down = 0x1p-80f, large_up = 0x1p80f;
};
template <>
struct square_range<double> {
  static constexpr double small = 0x1p-700, small_up = 0x1p600, small_down = 0x1p-600;
  static constexpr double large = 0x1p700, large_down = 0x1p-600, large_up = 0x1p600;
};

// Sums of squares: of elements times small_up, of elements, of elements times large_down.
template <class Acc>
struct scaled_squares {
  Acc small;
  Acc ordinary;
  Acc large;
};

// The square root of the whole sum.
template <class Acc>
ROWFOLD_DEVICE Acc norm_of(const scaled_squares<Acc>& s) {
  using range = square_range<Acc>;
  if (!(s.large <= Acc(0))) {  // also a NaN
    const Acc ordinary = math::mul_rn(math::mul_rn(s.ordinary, range::large_down), range::large_down);
    return math::mul_rn(math::sqrt_rn(math::add_rn(s.large, ordinary)), range::large_up);
  }
  if (s.ordinary > Acc(0)) {
    return math::sqrt_rn(math::fma_rn(math::mul_rn(s.small, range::small_down), range::small_down, s.ordinary));
  }
  return math::mul_rn(math::sqrt_rn(s.small), range::small_down);
}

template <class Acc>
struct euclidean_fold {
  using state_type = scaled_squares<Acc>;
  static constexpr bool reduces_itself = is_same<Acc, double>;  // whose state has more than 16 bytes
  template <class>
  static constexpr bool commutative = detail::arithmetic_commutes<Acc>;

  ROWFOLD_DEVICE state_type identity() const { return {Acc(0), Acc(0), Acc(0)}; }

  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Acc, N>& x, const Position& position) const {
    using range = square_range<Acc>;
    const Acc total = granule_sum<Acc, N>(position, [&](int i) { return math::mul_rn(x[i], x[i]); });
    if (total >= range::small && total < range::large) {
      state.ordinary = math::add_rn(state.ordinary, total);
      return;
    }
    const bool small = total < range::small;  // else large, or a NaN
    const Acc scale = small ? range::small_up : range::large_down;
    const Acc scaled = granule_sum<Acc, N>(position, [&](int i) {
      const Acc y = math::mul_rn(x[i], scale);
      return math::mul_rn(y, y);
    });
    state.small = small ? math::add_rn(state.small, scaled) : state.small;
    state.large = small ? state.large : math::add_rn(state.large, scaled);
  }

  ROWFOLD_DEVICE state_type operator()(const state_type& a, const state_type& b) const {
    return {math::add_rn(a.small, b.small), math::add_rn(a.ordinary, b.ordinary), math::add_rn(a.large, b.large)};
  }

  template <class Group>
  ROWFOLD_DEVICE state_type all_reduce(Group& group, const state_type& state) const {
    return {group.all_reduce(state.small, sum{}), group.all_reduce(state.ordinary, sum{}),
            group.all_reduce(state.large, sum{})};
  }
};

// The first column of the largest or smallest element, or of a NaN. Op: arg_max or arg_min. Within a lane columns only
// increase, so that an element wins only if it is better: two comparisons, where a merge of two pairs needs more. Lanes
// merge floats as whole numbers that are ordered as the pairs are, the largest one wins.
template <class Acc, class Op>
struct first_extreme_fold : Op {
  using state_type = indexed<Acc, int>;
  static constexpr bool reduces_alone = is_same<Acc, float>;
  static constexpr bool largest = is_same<Op, arg_max>;

  ROWFOLD_DEVICE state_type identity() const {
    return {largest ? -limits<Acc>::infinity : limits<Acc>::infinity, detail::no_index};
  }

  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Acc, N>& x, const Position& position) const {
    if (position.column >= position.cols) return;
    if (state.index == detail::no_index) state = {x[0], position.column};
    position.template for_each_column<N>([&](int i) {
      const bool not_worse =
          largest ? !(x[i] <= state.value) : !(x[i] >= state.value);  // a NaN is better than a number
      if (not_worse && state.value == state.value) state = {x[i], position.column + i};
    });
  }

  // With the row's index; its value, which nobody asks for, is not kept.
  template <class Group>
  ROWFOLD_DEVICE state_type all_reduce(Group& group, const state_type& state) const {
    const unsigned long long first = group.all_reduce(order_of(state), maximum{});
    return {identity().value, static_cast<int>(~static_cast<unsigned>(first))};
  }

 private:
  // Larger for a pair that goes before another one: above the value's bits, turned so that they are ordered as floats
  // are, those of a NaN above all; below them the column, the lowest one largest.
  static ROWFOLD_DEVICE unsigned long long order_of(const state_type& state) {
    const unsigned bits = state.value == Acc(0) ? 0u : math::to_bits(state.value);  // -0 is +0
    const unsigned ordered = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
    const unsigned upper = math::is_nan(state.value) ? ~0u : largest ? ordered : ~ordered;
    return (static_cast<unsigned long long>(upper) << 32) | ~static_cast<unsigned>(state.index);
  }
};

// The sum of exp(x): see folds/exp_sum.cuh.
template <class Acc>
struct exp_sum_fold {
  using state_type = exp_sum<Acc>;
  static constexpr bool reduces_itself = true;

  ROWFOLD_DEVICE state_type identity() const { return no_exp_sum<Acc>(); }

  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Acc, N>& x, const Position& position) const {
    vec<Acc, N> counted;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) counted[i] = -limits<Acc>::infinity;
    position.template for_each_column<N>([&](int i) { counted[i] = x[i]; });
    add_exp(state, counted);
  }

  template <class Group>
  ROWFOLD_DEVICE state_type all_reduce(Group& group, const state_type& state) const {
    return all_reduce_exp_sum(group, state);
  }
};

// log(sum of exp(x)), the largest x being known: of no element, or of none but -inf, -inf; +inf where an element is,
// although the sum is a NaN then; a NaN where one is.
template <class Acc>
ROWFOLD_DEVICE Acc log_sum_exp_of(const exp_sum<Acc>& s, Acc largest) {
  if (math::absolute(largest) == limits<Acc>::infinity) return largest;
  return math::add_rn(s.base, math::log(s.sum));
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The place of the largest or smallest value: operators and folds over (value, index) pairs (folds/fold.cuh says what
// operators and folds are). The lowest index wins among equal values (+0 and -0 are equal); a NaN beats every number,
// and the first NaN's index wins. So the result depends on the pairs alone, not on the order in which they are merged.
#pragma once

#include "rowfold/folds/fold.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A value and where it stood. T: float or double (or an integer type); I: an integer type.
template <class T, class I>
struct indexed {
  T value;
  I index;
};

namespace detail {

template <class T>
ROWFOLD_DEVICE bool is_nan_value(T x) {
  if constexpr (is_accumulate_type<T>) {
    return math::is_nan(x);
  } else {
    return false;
  }
}

// Whether a goes before b, when `a_wins` and `b_wins` say which value is the better one (at most one of them does).
template <class T, class I>
ROWFOLD_DEVICE bool goes_first(const indexed<T, I>& a, const indexed<T, I>& b, bool a_wins, bool b_wins) {
  const bool a_nan = is_nan_value(a.value);
  const bool b_nan = is_nan_value(b.value);
  if (a_nan != b_nan) {
    return a_nan;
  }
  const bool tie = a_nan || (!a_wins && !b_wins);
  return tie ? !(b.index < a.index) : a_wins;
}

}  // namespace detail

// Of two pairs the one with the larger value.
//   auto best = rowfold::warp_all_reduce(rowfold::indexed<float, int>{x, column}, rowfold::arg_max{});
struct arg_max {
  template <class T>
  static constexpr bool commutative = true;

  template <class T, class I>
  ROWFOLD_DEVICE indexed<T, I> operator()(indexed<T, I> a, indexed<T, I> b) const {
    return detail::goes_first(a, b, b.value < a.value, a.value < b.value) ? a : b;
  }
};

// Of two pairs the one with the smaller value.
struct arg_min {
  template <class T>
  static constexpr bool commutative = true;

  template <class T, class I>
  ROWFOLD_DEVICE indexed<T, I> operator()(indexed<T, I> a, indexed<T, I> b) const {
    return detail::goes_first(a, b, a.value < b.value, b.value < a.value) ? a : b;
  }
};

namespace detail {
// The index of no element: larger than every column, so that it loses each tie.
inline constexpr int no_index = 0x7fffffff;
}  // namespace detail

// Fold: the column of the largest element. Of no element: -inf at index 2^31 - 1.
template <class Acc>
struct arg_max_fold : arg_max {
  using state = indexed<Acc, int>;
  ROWFOLD_DEVICE state identity() const { return {-limits<Acc>::infinity, detail::no_index}; }
  ROWFOLD_DEVICE void add(state& s, Acc x, int column) const { s = merge(s, state{x, column}); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return (*this)(a, b); }
};

// Fold: the column of the smallest element. Of no element: +inf at index 2^31 - 1.
template <class Acc>
struct arg_min_fold : arg_min {
  using state = indexed<Acc, int>;
  ROWFOLD_DEVICE state identity() const { return {limits<Acc>::infinity, detail::no_index}; }
  ROWFOLD_DEVICE void add(state& s, Acc x, int column) const { s = merge(s, state{x, column}); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return (*this)(a, b); }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

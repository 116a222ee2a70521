// SPDX-License-Identifier: MIT
// Maximum, minimum and the largest absolute value: operators and folds (folds/fold.cuh says what these are). A NaN
// among the values makes the result NaN; +0 counts as larger than -0. Exact.
#pragma once

#include "rowfold/folds/fold.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// The larger of a and b. T: float, double, __half, __nv_bfloat16, or any type with a < of its own (integers).
//   float row_maximum = rowfold::warp_all_reduce(x, rowfold::maximum{});
struct maximum {
  template <class T>
  static constexpr bool commutative = true;

  template <class T>
  ROWFOLD_DEVICE T operator()(T a, T b) const {
    if constexpr (is_accumulate_type<T>) {
      return math::maximum(a, b);
    } else if constexpr (is_half_type<T>) {
      return detail::in_accumulate_type(a, b, [](float x, float y) { return math::maximum(x, y); });
    } else {
      return a < b ? b : a;
    }
  }
};

// The smaller of a and b, for the same types.
struct minimum {
  template <class T>
  static constexpr bool commutative = true;

  template <class T>
  ROWFOLD_DEVICE T operator()(T a, T b) const {
    if constexpr (is_accumulate_type<T>) {
      return math::minimum(a, b);
    } else if constexpr (is_half_type<T>) {
      return detail::in_accumulate_type(a, b, [](float x, float y) { return math::minimum(x, y); });
    } else {
      return b < a ? b : a;
    }
  }
};

// Fold: the largest element; -inf of no element. Acc is float or double.
template <class Acc>
struct maximum_fold : maximum {
  using state = Acc;
  ROWFOLD_DEVICE state identity() const { return -limits<Acc>::infinity; }
  ROWFOLD_DEVICE void add(state& s, Acc x, int) const { s = math::maximum(s, x); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return math::maximum(a, b); }
};

// Fold: the smallest element; +inf of no element.
template <class Acc>
struct minimum_fold : minimum {
  using state = Acc;
  ROWFOLD_DEVICE state identity() const { return limits<Acc>::infinity; }
  ROWFOLD_DEVICE void add(state& s, Acc x, int) const { s = math::minimum(s, x); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return math::minimum(a, b); }
};

// Fold: the largest |x|; 0 of no element. Its partial results are already absolute values, so they merge by `maximum`.
template <class Acc>
struct abs_max_fold : maximum {
  using state = Acc;
  ROWFOLD_DEVICE state identity() const { return Acc(0); }
  ROWFOLD_DEVICE void add(state& s, Acc x, int) const { s = math::larger_magnitude(s, x); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return math::maximum(a, b); }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

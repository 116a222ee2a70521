// SPDX-License-Identifier: MIT
// Sum, product and sum of squares: operators and folds (folds/fold.cuh says what these are). Floating-point results are
// rounded to nearest even in every step and no compile flag changes them; half types are added in float and rounded.
#pragma once

#include "rowfold/folds/fold.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// a + b. T: float, double, __half, __nv_bfloat16, or any type with a + of its own (integers).
//   float total = rowfold::block_all_reduce(x, rowfold::sum{}, storage);
struct sum {
  template <class T>
  static constexpr bool commutative = detail::arithmetic_commutes<T>;

  template <class T>
  ROWFOLD_DEVICE T operator()(T a, T b) const {
    if constexpr (is_accumulate_type<T>) {
      return math::add_rn(a, b);
    } else if constexpr (is_half_type<T>) {
      return detail::in_accumulate_type(a, b, [](float x, float y) { return math::add_rn(x, y); });
    } else {
      return static_cast<T>(a + b);
    }
  }
};

// a * b, for the same types.
struct product {
  template <class T>
  static constexpr bool commutative = detail::arithmetic_commutes<T>;

  template <class T>
  ROWFOLD_DEVICE T operator()(T a, T b) const {
    if constexpr (is_accumulate_type<T>) {
      return math::mul_rn(a, b);
    } else if constexpr (is_half_type<T>) {
      return detail::in_accumulate_type(a, b, [](float x, float y) { return math::mul_rn(x, y); });
    } else {
      return static_cast<T>(a * b);
    }
  }
};

// Fold: the sum of the elements. Acc is float or double.
template <class Acc>
struct sum_fold : sum {
  using state = Acc;
  ROWFOLD_DEVICE state identity() const { return Acc(0); }
  ROWFOLD_DEVICE void add(state& s, Acc x, int) const { s = math::add_rn(s, x); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return math::add_rn(a, b); }
};

// Fold: the product of the elements.
template <class Acc>
struct product_fold : product {
  using state = Acc;
  ROWFOLD_DEVICE state identity() const { return Acc(1); }
  ROWFOLD_DEVICE void add(state& s, Acc x, int) const { s = math::mul_rn(s, x); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return math::mul_rn(a, b); }
};

// Fold: the sum of the squares of the elements, each square added with a single rounding (a fused multiply-add).
template <class Acc>
struct sum_of_squares_fold : sum {
  using state = Acc;
  ROWFOLD_DEVICE state identity() const { return Acc(0); }
  ROWFOLD_DEVICE void add(state& s, Acc x, int) const { s = math::fma_rn(x, x, s); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return math::add_rn(a, b); }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

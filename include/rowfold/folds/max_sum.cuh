// SPDX-License-Identifier: MIT
// The pair (largest value, sum of exp(value - largest)) in one pass, as softmax and log-sum-exp need it: operator and
// fold (folds/fold.cuh says what these are). Partial results merge by rescaling the sum of the smaller maximum (online
// softmax, Milakov and Gimelshein 2018). Values of -inf count as absent: a set of nothing else has the sum 0, and no
// exp(-inf - -inf) is ever formed. A NaN or +inf among the values makes the sum NaN, as softmax's definition does.
#pragma once

#include "rowfold/folds/fold.cuh"
#include "rowfold/numeric/exp.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// T: float or double. log(sum of exp(x)) = max + log(sum).
template <class T>
struct max_sum {
  T max;
  T sum;  // of exp(x - max)
};

// One value as a set: exp(x - x) = 1, but 0 for -inf, and NaN for +inf and NaN.
template <class T>
ROWFOLD_DEVICE max_sum<T> make_max_sum(T x) {
  return {x, x == -limits<T>::infinity ? T(0) : math::add_rn(T(1), math::sub_rn(x, x))};
}

// The pair of both sets together. One exponential; its argument is 0 or negative.
//   auto row = rowfold::warp_all_reduce(rowfold::make_max_sum(x), rowfold::merge_max_sum{});
struct merge_max_sum {
  template <class T>
  static constexpr bool commutative = false;

  template <class T>
  ROWFOLD_DEVICE max_sum<T> operator()(max_sum<T> a, max_sum<T> b) const {
    const bool a_larger = b.max < a.max;
    const T larger_sum = a_larger ? a.sum : b.sum;
    const T smaller_sum = a_larger ? b.sum : a.sum;
    // Equal maxima, infinite ones among them, need no rescaling (inf - inf would be NaN). A NaN on either side gives a
    // NaN difference, and so a NaN sum.
    const T difference = a.max == b.max ? T(0) : (a_larger ? math::sub_rn(b.max, a.max) : math::sub_rn(a.max, b.max));
    return {math::maximum(a.max, b.max), math::fma_rn(smaller_sum, math::exp(difference), larger_sum)};
  }
};

// Fold: the pair of the elements. Of no element: (-inf, 0).
template <class Acc>
struct max_sum_fold : merge_max_sum {
  using state = max_sum<Acc>;
  ROWFOLD_DEVICE state identity() const { return {-limits<Acc>::infinity, Acc(0)}; }
  ROWFOLD_DEVICE void add(state& s, Acc x, int) const { s = merge(s, make_max_sum(x)); }
  ROWFOLD_DEVICE state merge(state a, state b) const { return (*this)(a, b); }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

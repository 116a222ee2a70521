// SPDX-License-Identifier: MIT
// The sum of exp(x) over many values in one pass, for any finite values: what log-sum-exp and cross-entropy fold. The
// sum is taken relative to a base, one of the values (online softmax, Milakov and Gimelshein 2018), with two changes:
//
// - The base is raised only where a granule's largest value lies more than exp_sum_slack above it. So the sum is seldom
//   rescaled, and each time shrinks so much that the errors of many rescalings do not add up, as they would in rows
//   that rise slowly. A value so large that no other one counts is always the base itself: its exp is exactly 1.
// - The rounding errors of the sum are carried along (Kahan 1965): a long row of equal values errs by the same amount
//   in the same direction in every addition.
//
// Values of -inf count as absent. A NaN or +inf among the values makes the sum NaN. Exponentials are math::fast::exp in
// float: on the GPU the hardware's 2^x, so that the last bits differ between GPU and CPU back end and may differ
// between GPUs. Any thread may call these on its own values, but all_reduce_exp_sum, which the whole group calls.
#pragma once

#include "rowfold/folds/fold.cuh"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/exp.cuh"
#include "rowfold/numeric/math.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// How far the largest value may lie above the base: exp(2) keeps the sum far from overflow, and a rescaling makes the
// old sum's errors at least seven times smaller.
inline constexpr float exp_sum_slack = 2.0f;

inline namespace ROWFOLD_BACKEND {

// T: float or double. The sum of exp(x) over the values is exp(base) * (sum - lost).
template <class T>
struct exp_sum {
  T base;  // one of the values; the lowest finite number where there is none but -inf
  T sum;
  T lost;  // what rounding has added to the sum too much
};

namespace detail {
ROWFOLD_DEVICE float exp_of_difference(float x, float base) { return math::fast::exp(math::sub_rn(x, base)); }
ROWFOLD_DEVICE double exp_of_difference(double x, double base) { return math::exp(math::sub_rn(x, base)); }
}  // namespace detail

// Of no value.
template <class T>
ROWFOLD_DEVICE exp_sum<T> no_exp_sum() {
  return {-limits<T>::max_finite, T(0), T(0)};
}

// Adds N values, all of which count.
template <class T, int N>
ROWFOLD_DEVICE void add_exp(exp_sum<T>& s, const vec<T, N>& x) {
  T largest = x[0];
  ROWFOLD_UNROLL
  for (int i = 1; i < N; ++i) largest = math::maximum(largest, x[i]);
  if (largest > math::add_rn(s.base, static_cast<T>(exp_sum_slack))) {
    const T scale = detail::exp_of_difference(s.base, largest);
    s = {largest, math::mul_rn(s.sum, scale), math::mul_rn(s.lost, scale)};
  }
  T added = detail::exp_of_difference(x[0], s.base);
  ROWFOLD_UNROLL
  for (int i = 1; i < N; ++i) added = math::add_rn(added, detail::exp_of_difference(x[i], s.base));
  const T corrected = math::sub_rn(added, s.lost);
  const T sum = math::add_rn(s.sum, corrected);
  s.lost = math::sub_rn(math::sub_rn(sum, s.sum), corrected);
  s.sum = sum;
}

// The sum over all lanes of a row_group, relative to the largest of their bases, in every lane; `lost` is 0 then. First
// the bases, then sums that have one base: one exponential per lane.
template <class Group, class T>
ROWFOLD_DEVICE exp_sum<T> all_reduce_exp_sum(Group& group, const exp_sum<T>& s) {
  const T base = group.all_reduce(s.base, maximum{});
  const T scaled = math::mul_rn(math::sub_rn(s.sum, s.lost), detail::exp_of_difference(s.base, base));
  return {base, group.all_reduce(scaled, sum{}), T(0)};
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

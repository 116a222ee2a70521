// SPDX-License-Identifier: MIT
// The stage and the map of L2 normalisation: the Euclidean norm of a row, then x / max(norm, eps).
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/row/rms_normalize.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

template <class Accumulate>
struct l2_statistics {
  Accumulate norm;     // sqrt(sum(x^2))
  Accumulate inverse;  // 1 / max(norm, eps)
};

inline namespace ROWFOLD_BACKEND {

// From the sum of squares to the norm. A NaN stays one.
template <class Accumulate>
struct l2_stage : sum_of_squares_stage<Accumulate> {
  Accumulate eps;

  ROWFOLD_HOST_DEVICE constexpr explicit l2_stage(Accumulate epsilon) : eps(epsilon) {}

  ROWFOLD_DEVICE l2_statistics<Accumulate> finish(Accumulate squares, no_result, no_result) const {
    const Accumulate norm = math::sqrt_rn(squares);
    return {norm, math::div_rn(Accumulate(1), math::maximum(norm, eps))};
  }
};

// x / max(norm, eps), by one reciprocal for the row.
struct l2_map : plain_map<l2_map> {
  template <class Accumulate, int N, class Position>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& x, const Position&,
                                               const l2_statistics<Accumulate>& s) const {
    vec<Accumulate, N> y;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) y[i] = math::mul_rn(x[i], s.inverse);
    return y;
  }
};

// Keeps each row's norm, [rows] or null.
template <class Accumulate>
struct l2_statistics_sink {
  Accumulate* norm;

  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  using row_type = long long;
  ROWFOLD_DEVICE row_type row(long long row, int) const { return row; }

  ROWFOLD_DEVICE void finish(const row_type& row, const l2_statistics<Accumulate>& s) const {
    if (norm != nullptr) store_element<store_hint::write_back>(norm + row, s.norm);
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    if (norm != nullptr) problem.add(make_operand("norm", operand_kind::statistic, norm));
  }
#endif
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The stage and the maps of RMSNorm: the sum of squares, then x / sqrt(mean(x^2) + eps) (Zhang and Sennrich, "Root Mean
// Square Layer Normalization", 2019). The weight is an affine_map after them; rms_statistics_sink keeps 1 / rms.
//
// Squares of elements below 2^-63 lose bits or vanish, those above 2^63 overflow: the result is right wherever sum(x^2)
// is finite and mean(x^2) + eps is at least the smallest normal number (2^-126 for float). All sums are of terms that
// are not negative, so nothing cancels and one pass is enough.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/folds/sum.cuh"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/convert.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/stages.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// When a normalised value is rounded to x's type.
enum class weight_rounding {
  none,          // never: y is rounded once, where it is stored
  before_gamma,  // before it is multiplied by gamma, as models do that convert back first (Llama and its kin)
};

// How a lane sums the squares of its granules.
enum class square_sums {
  // Each granule's first: these sums do not wait for one another (bfloat16, 256 rows of 8192 columns in L2 on an H200:
  // 2.56 microseconds, one by one 2.70). One by one, long sums of elements of few bits come out low. The square of an
  // odd number is 1 modulo 8: once the sum is one bit short for it, each addition is a tie, the sum is even and stays
  // so, and the last bit of each square is lost (262144 columns of bfloat16: 1 / rms is 2^-21 too large).
  by_granule,
  // Each by itself: the fewest instructions and registers.
  one_by_one
};

template <class Accumulate>
struct rms_statistics {
  Accumulate rstd;  // 1 / sqrt(mean(x^2) + eps)
};

inline namespace ROWFOLD_BACKEND {

// The sum of squares: what the stages of RMSNorm and L2 normalisation share.
template <class Accumulate, square_sums Sums = square_sums::by_granule>
struct sum_of_squares_stage {
  using state_type = Accumulate;
  static constexpr bool loads_first = false;

  template <class Source, class Row>
  ROWFOLD_DEVICE no_result begin(const Source&, const Row&, no_result) const {
    return {};
  }
  ROWFOLD_DEVICE state_type identity() const { return Accumulate(0); }
  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<Accumulate, N>& x, const Position& position, no_result) const {
    constexpr bool one_by_one = Sums == square_sums::one_by_one;
    Accumulate squares = one_by_one ? state : Accumulate(0);
    position.template for_each_column<N>([&](int i) { squares = math::fma_rn(x[i], x[i], squares); });
    state = one_by_one ? squares : math::add_rn(state, squares);
  }
  ROWFOLD_DEVICE sum merge() const { return {}; }
};

// From the sum of squares to 1 / sqrt(mean(x^2) + eps).
template <class Accumulate, class Math = accurate_math, square_sums Sums = square_sums::by_granule>
struct rms_stage : sum_of_squares_stage<Accumulate, Sums> {
  static_assert(detail::is_math<Math>, "how the root is computed: accurate_math or fast_math");
  Accumulate inverse_cols;  // 1 / cols
  Accumulate eps;

  ROWFOLD_HOST_DEVICE constexpr rms_stage(Accumulate inverse, Accumulate epsilon)
      : inverse_cols(inverse), eps(epsilon) {}

  ROWFOLD_DEVICE rms_statistics<Accumulate> finish(Accumulate squares, no_result, no_result) const {
    const Accumulate shifted = math::fma_rn(squares, inverse_cols, eps);
    if constexpr (is_same<Math, fast_math>) {
      return {math::fast::rsqrt(shifted)};
    } else {
      return {math::rsqrt_rn(shifted)};
    }
  }
};

// The stage of RMSNorm for rows of `cols` columns, at least 1. eps is rounded once.
template <class Accumulate, class Math = accurate_math, square_sums Sums = square_sums::by_granule>
ROWFOLD_HOST_DEVICE constexpr stage_list<rms_stage<Accumulate, Math, Sums>> rms_stages(int cols, Accumulate eps) {
  return stages(rms_stage<Accumulate, Math, Sums>(static_cast<Accumulate>(1.0 / static_cast<double>(cols)), eps));
}

// x * rstd.
struct rms_map : plain_map<rms_map> {
  template <class Accumulate, int N, class Position>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& x, const Position&,
                                               const rms_statistics<Accumulate>& s) const {
    vec<Accumulate, N> y;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) y[i] = math::mul_rn(x[i], s.rstd);
    return y;
  }
};

// Values rounded to T and back.
template <class T>
struct round_map : plain_map<round_map<T>> {
  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position&, const Result&) const {
    if constexpr (is_same<T, Accumulate>) {
      return values;
    } else {
      return convert_values<Accumulate>(widen(narrow<T>(values)));
    }
  }
};

// Keeps each row's rstd, [rows] or null.
template <class Accumulate>
struct rms_statistics_sink {
  Accumulate* rstd;

  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  using row_type = long long;
  ROWFOLD_DEVICE row_type row(long long row, int) const { return row; }

  ROWFOLD_DEVICE void finish(const row_type& row, const rms_statistics<Accumulate>& s) const {
    if (rstd != nullptr) store_element<store_hint::write_back>(rstd + row, s.rstd);
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    if (rstd != nullptr) problem.add(make_operand("rstd", operand_kind::statistic, rstd));
  }
#endif
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Sinks: where a row's results go. A sink is a small value type:
//
//   row_type row(long long row, int cols) const;                       // cols 0: a row of which nothing is stored
//   template <store_hint Hint> void store(const row_type&, values, position, lane_segment) const;   // every lane of the warp
//   void finish(const row_type&, result) const;                         // one lane of the group, once a row
//   void describe(row_problem&) const;                                  // on the host: adds the tensors that it writes
//
// both(a, b) stores into a, then into b.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/row_problem.hpp"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A tensor of rows of T: each value is rounded once, to nearest even.
template <class T>
struct plain_sink {
  using element_type = T;
  using row_type = tensor_row<T>;

  T* data;
  row_layout layout;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return {data + layout.offset(row), row, cols}; }

  template <store_hint Hint, class Values, class Position>
  ROWFOLD_DEVICE void store(const row_type& row, const Values& values, const Position& position,
                            lane_segment segment) const {
    store_granule<Position::access, Hint>(row.data, row.cols, position.column, narrow<T>(values), segment);
  }

  template <class Result>
  ROWFOLD_DEVICE void finish(const row_type&, const Result&) const {}

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(data);
    problem.add(make_operand("y", operand_kind::output, data, layout));
  }
#endif
};

// Keeps a normalised row's mean and rstd, each [rows] or null. The mean is rounded to its type.
template <class Accumulate>
struct normalize_statistics_sink {
  Accumulate* mean;
  Accumulate* rstd;

  using row_type = long long;
  ROWFOLD_DEVICE row_type row(long long row, int) const { return row; }

  template <store_hint Hint, class Values, class Position>
  ROWFOLD_DEVICE void store(const row_type&, const Values&, const Position&, lane_segment) const {}

  ROWFOLD_DEVICE void finish(const row_type& row, const normalize_statistics<Accumulate>& s) const {
    if (mean != nullptr) store_element<store_hint::write_back>(mean + row, math::add_rn(s.mean, s.correction));
    if (rstd != nullptr) store_element<store_hint::write_back>(rstd + row, s.rstd);
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    if (mean != nullptr) problem.add(make_operand("mean", operand_kind::statistic, mean));
    if (rstd != nullptr) problem.add(make_operand("rstd", operand_kind::statistic, rstd));
  }
#endif
};

template <class First, class Second>
struct both_sinks {
  First first;
  Second second;

  struct row_type {
    typename First::row_type first;
    typename Second::row_type second;
  };
  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return {first.row(row, cols), second.row(row, cols)}; }

  template <store_hint Hint, class Values, class Position>
  ROWFOLD_DEVICE void store(const row_type& row, const Values& values, const Position& position,
                            lane_segment segment) const {
    first.template store<Hint>(row.first, values, position, segment);
    second.template store<Hint>(row.second, values, position, segment);
  }

  template <class Result>
  ROWFOLD_DEVICE void finish(const row_type& row, const Result& result) const {
    first.finish(row.first, result);
    second.finish(row.second, result);
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    first.describe(problem);
    second.describe(problem);
  }
#endif
};

template <class T>
inline constexpr int widest_element<plain_sink<T>> = static_cast<int>(sizeof(T));
template <class First, class Second>
inline constexpr int widest_element<both_sinks<First, Second>> =
    widest_element<First> > widest_element<Second> ? widest_element<First> : widest_element<Second>;

template <class First, class Second>
ROWFOLD_HOST_DEVICE constexpr both_sinks<First, Second> both(First first, Second second) {
  return {first, second};
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

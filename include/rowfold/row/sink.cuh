// SPDX-License-Identifier: MIT
// Sinks: where a row's results go. A sink is a small value type that says what it makes of a granule; the engine stores
// it.
//
//   static constexpr int output_count = ...;         // tensors of rows that it writes
//   static constexpr int widest_column = ...;        // the most bytes that one of them has per column
//   row_type row(long long row, int cols) const;     // cols 0: a row of which nothing is stored. row_type can be made
//   of
//                                                    // nothing and assigned
//   template <int I> T* output(const row_type&) const;                   // where the row starts in tensor I; or
//                                                                        // optional_row<T>, which may be null, or
//                                                                        // spaced_row<T> (row/spaced_parts.cuh)
//   template <int I> packed<T, n> pack(const row_type&, position, x, y, result) const;   // a granule of tensor I
//   void finish(const row_type&, result) const;      // one lane of the group, once a row
//   static constexpr bool finishes_empty_rows = true;                    // optional: also for rows without columns
//   void describe(row_problem&) const;               // on the host: adds the tensors that it writes
//
// x: the source's values of the granule; y: what the map made of them; result: the last stage's. n: the granule, or a
// multiple of it. pack is called by all lanes of the warp together, also for granules past the end of the row, whose
// results are dropped. both(a, b) stores what a and b make.
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

// Where a row of a tensor starts that the caller may have left out: null for every row then, and nothing is stored.
template <class T>
struct optional_row {
  T* data;
};

// What sinks have in common whose tensor of rows may be null: all but what they store in it.
template <class T>
struct optional_rows {
  static constexpr int output_count = 1;
  static constexpr int widest_column = static_cast<int>(sizeof(T));
  using row_type = T*;

  T* data;            // or null
  row_layout layout;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int) const {
    return data == nullptr ? nullptr : data + layout.offset(row);
  }

  template <int>
  ROWFOLD_DEVICE optional_row<T> output(const row_type& row) const {
    return {row};
  }

  template <class Result>
  ROWFOLD_DEVICE void finish(const row_type&, const Result&) const {}
};

namespace detail {
template <class Output>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<const optional_row<T>> = true;
}  // namespace detail

// A tensor of rows of T: each value is rounded once, to nearest even.
template <class T>
struct plain_sink {
  static constexpr int output_count = 1;
  static constexpr int widest_column = static_cast<int>(sizeof(T));
  using row_type = tensor_row<T>;

  T* data;
  row_layout layout;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return {data + layout.offset(row), row, cols}; }

  template <int>
  ROWFOLD_DEVICE T* output(const row_type& row) const {
    return row.data;
  }

  template <int, class Position, class X, class Accumulate, int N, class Result>
  ROWFOLD_DEVICE packed<T, N> pack(const row_type&, const Position&, const X&, const vec<Accumulate, N>& y,
                                   const Result&) const {
    return narrow<T>(y);
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

  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  using row_type = long long;
  ROWFOLD_DEVICE row_type row(long long row, int) const { return row; }

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

namespace detail {

// Whether a sink stores results of rows without columns, too.
template <class Sink, class = void>
inline constexpr bool finishes_empty_rows = false;
template <class Sink>
inline constexpr bool finishes_empty_rows<Sink, enable_if_t<Sink::finishes_empty_rows>> = true;

// A row of two sinks. Marked: it knows whether it has columns.
template <class First, class Second, bool Marked>
struct rows_of_both {
  First first;
  Second second;
};
template <class First, class Second>
struct rows_of_both<First, Second, true> {
  First first;
  Second second;
  bool has_columns;
};

}  // namespace detail

template <class First, class Second>
struct both_sinks {
  static constexpr bool finishes_empty_rows = detail::finishes_empty_rows<First> || detail::finishes_empty_rows<Second>;
  static constexpr int output_count = First::output_count + Second::output_count;
  static constexpr int widest_column =
      First::widest_column > Second::widest_column ? First::widest_column : Second::widest_column;

  First first;
  Second second;

  // Where one of them alone finishes rows without columns, a row tells the other one to leave it.
  static constexpr bool differ = detail::finishes_empty_rows<First> != detail::finishes_empty_rows<Second>;
  using row_type = detail::rows_of_both<typename First::row_type, typename Second::row_type, differ>;
  ROWFOLD_DEVICE row_type row(long long row, int cols) const {
    if constexpr (differ) {
      return {first.row(row, cols), second.row(row, cols), cols > 0};
    } else {
      return {first.row(row, cols), second.row(row, cols)};
    }
  }

  template <int I>
  ROWFOLD_DEVICE auto output(const row_type& row) const {
    if constexpr (I < First::output_count) {
      return first.template output<I>(row.first);
    } else {
      return second.template output<I - First::output_count>(row.second);
    }
  }

  template <int I, class Position, class X, class Y, class Result>
  ROWFOLD_DEVICE auto pack(const row_type& row, const Position& position, const X& x, const Y& y,
                           const Result& result) const {
    if constexpr (I < First::output_count) {
      return first.template pack<I>(row.first, position, x, y, result);
    } else {
      return second.template pack<I - First::output_count>(row.second, position, x, y, result);
    }
  }

  template <class Result>
  ROWFOLD_DEVICE void finish(const row_type& row, const Result& result) const {
    if constexpr (differ) {
      if (detail::finishes_empty_rows<First> || row.has_columns) first.finish(row.first, result);
      if (detail::finishes_empty_rows<Second> || row.has_columns) second.finish(row.second, result);
    } else {
      first.finish(row.first, result);
      second.finish(row.second, result);
    }
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

// Columns whose lanes a sink has work together, so that they lie in one warp: quantize_group of group scales. Its
// describe() says the same of a problem (row_problem::joined_granules).
template <class Sink>
inline constexpr int joined_columns = 0;
template <class First, class Second>
inline constexpr int joined_columns<both_sinks<First, Second>> =
    joined_columns<First> > joined_columns<Second> ? joined_columns<First> : joined_columns<Second>;

// Registers that a sink needs beyond those of LayerNorm's: as map_registers.
template <class Sink>
inline constexpr extra_registers sink_registers = {0, 0};
template <class First, class Second>
inline constexpr extra_registers sink_registers<both_sinks<First, Second>> = {
    sink_registers<First>.held + sink_registers<Second>.held,
    sink_registers<First>.staged + sink_registers<Second>.staged};

// The most registers for kernels of rows of which nothing is folded and that a sink stores as they are, where it does
// best with few; else 0.
template <class Sink>
inline constexpr int part_register_limit = 0;
template <class First, class Second>
inline constexpr int part_register_limit<both_sinks<First, Second>> =
    part_register_limit<First> != 0 ? part_register_limit<First> : part_register_limit<Second>;

// Whether output I is of the source's values alone, so that it may be stored before the folds: pack then gets the
// source's values for y, and a no_result.
template <class Sink, int I>
inline constexpr bool stores_source = false;
template <class First, class Second, int I>
inline constexpr bool stores_source<both_sinks<First, Second>, I> =
    I < First::output_count ? stores_source<First, I> : stores_source<Second, I - First::output_count>;

template <class Sink>
inline constexpr bool has_source_output = stores_source<Sink, 0>;
template <class First, class Second>
inline constexpr bool has_source_output<both_sinks<First, Second>> =
    has_source_output<First> || has_source_output<Second>;

template <class First, class Second>
ROWFOLD_HOST_DEVICE constexpr both_sinks<First, Second> both(First first, Second second) {
  return {first, second};
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

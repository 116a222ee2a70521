// SPDX-License-Identifier: MIT
// A source and a sink of rows whose columns lie apart (memory/spaced_granule.cuh): the channels of one pixel, where
// neighbouring pixels are neighbouring rows. The other parts of an op are the same, and so is the fold shape, and with
// it the bits. What they must be is in row/source.cuh and row/sink.cuh; a source of such rows also has
//
//   static constexpr bool spaced_columns = true;    // the engine gives neighbouring rows to neighbouring threads
//
// and says so to the planner: problem.spaced_columns.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/spaced_granule.cuh"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/row_problem.hpp"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A tensor as it lies in memory. The layout says where rows start: row_layout::nested(pixels, 1, batch_stride) for
// images.
template <class T>
struct spaced_source : plain_source<T> {
  static constexpr bool spaced_columns = true;
  using row_type = typename plain_source<T>::row_type;

  long long spacing;  // elements between neighbouring columns

  template <int>
  ROWFOLD_DEVICE spaced_row<const T> input(const row_type& row) const {
    return {row.data, spacing};
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(this->data);
    problem.add(make_spaced_operand("x", operand_kind::input, this->data, this->layout, spacing));
    problem.spaced_columns = true;
  }
#endif
};

// Each value is rounded once, to nearest even.
template <class T>
struct spaced_sink : plain_sink<T> {
  using row_type = typename plain_sink<T>::row_type;

  long long spacing;  // elements between neighbouring columns

  template <int>
  ROWFOLD_DEVICE spaced_row<T> output(const row_type& row) const {
    return {row.data, spacing};
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(this->data);
    problem.add(make_spaced_operand("y", operand_kind::output, this->data, this->layout, spacing));
  }
#endif
};

template <class T>
inline constexpr int widest_element<spaced_sink<T>> = static_cast<int>(sizeof(T));

namespace detail {
template <class Source, class = void>
inline constexpr bool has_spaced_columns = false;
template <class Source>
inline constexpr bool has_spaced_columns<Source, decltype(static_cast<void>(Source::spaced_columns))> =
    Source::spaced_columns;
}  // namespace detail

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

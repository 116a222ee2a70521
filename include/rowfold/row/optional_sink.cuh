// SPDX-License-Identifier: MIT
// Sinks beside another one, called as row/sink.cuh says: of results that are not always wanted.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/packed.cuh"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/row_problem.hpp"
#include "rowfold/row/sink.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// What the map made, in a tensor of rows of T or nowhere (null): each value is rounded once, to nearest even. A tensor
// of the type `absent` is known not to be there when the op is compiled.
template <class T>
struct optional_sink : optional_rows<T> {
  template <int, class Position, class X, class Accumulate, int N, class Result>
  ROWFOLD_DEVICE packed<T, N> pack(const T*, const Position&, const X&, const vec<Accumulate, N>& y,
                                   const Result&) const {
    return narrow<T>(y);
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const { problem.add_optional_output("y", this->data, this->layout); }
#endif
};

template <>
struct optional_sink<absent> {
  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  struct row_type {};

  absent* data;
  row_layout layout;

  ROWFOLD_DEVICE row_type row(long long, int) const { return {}; }
  template <class Result>
  ROWFOLD_DEVICE void finish(const row_type&, const Result&) const {}

#if !defined(__CUDACC_RTC__)
  void describe(row_problem&) const {}
#endif
};

template <class T>
inline constexpr int widest_element<optional_sink<T>> = static_cast<int>(sizeof(T));
template <class T>
inline constexpr extra_registers sink_registers<optional_sink<T>> = {8, 16};
template <>
inline constexpr extra_registers sink_registers<optional_sink<absent>> = {0, 0};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

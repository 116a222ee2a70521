// SPDX-License-Identifier: MIT
// The source and the sink of a residual addition: rows of x + residual, or (x + bias) + residual, and the tensor in
// which their sum is stored. Both are called by all lanes of a row's group, as row/source.cuh and row/sink.cuh say.
//
// The additions are in float (double for double). With residual_rounding::stored the sum is rounded once to Sum, and
// that is what the op sees; it stays packed while the row is folded, so that a thread keeps no more than of a plain
// source of Sum. Rows are folded as those of Sum are, so the bits are those of an addition, stored, and the op after
// it.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/packed.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/map.cuh"
#include "rowfold/row/residual.hpp"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {
template <class Sum, residual_rounding Rounding>
struct folded_sum {
  using type = Sum;
};
template <class Sum>
struct folded_sum<Sum, residual_rounding::full> {
  using type = accumulate_t<Sum>;
};

// values + more, column by column.
template <class Accumulate, int N>
ROWFOLD_DEVICE vec<Accumulate, N> add_values(vec<Accumulate, N> values, const vec<Accumulate, N>& more) {
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) values[i] = math::add_rn(values[i], more[i]);
  return values;
}
}  // namespace detail

// One row of both tensors. cols is 0 for a group that has no row.
template <class X, class Residual>
struct residual_row {
  const X* x;
  const Residual* residual;
  long long index;
  int cols;
};

// Bias: [cols] of a type of its own, or the type `absent`, or null: nothing is added.
template <class X, class Residual, class Sum = Residual, class Bias = absent,
          residual_rounding Rounding = residual_rounding::stored>
struct residual_source {
  using value_type = accumulate_t<Sum>;
  static_assert(is_same<accumulate_t<X>, value_type> && is_same<accumulate_t<Residual>, value_type>,
                "x, residual and sum are all of double or none of them is");
  static constexpr int granule = granule_of<Sum>;
  using folded_type = typename detail::folded_sum<Sum, Rounding>::type;
  using inputs = granule_list<packed<X, granule>, packed<Residual, granule>>;
  using kept = granule_list<packed<folded_type, granule>>;
  using row_type = residual_row<X, Residual>;

  const X* x;
  const Residual* residual;
  const Bias* bias;
  row_layout x_layout;         // resolved
  row_layout residual_layout;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int cols) const {
    return {x + x_layout.offset(row), residual + residual_layout.offset(row), row, cols};
  }

  template <int I>
  ROWFOLD_DEVICE auto input(const row_type& row) const {
    if constexpr (I == 0) {
      return row.x;
    } else {
      return row.residual;
    }
  }

  template <class Position>
  ROWFOLD_DEVICE kept keep(const row_type&, const Position& position, const packed<X, granule>& x_granule,
                           const packed<Residual, granule>& residual_granule) const {
    return {narrow<folded_type>(detail::add_values(biased(position, x_granule), widen(residual_granule))), {}};
  }

  template <class Position>
  ROWFOLD_DEVICE vec<value_type, granule> unpack(const row_type&, const Position&,
                                                 const packed<folded_type, granule>& sum) const {
    return widen(sum);
  }

  ROWFOLD_DEVICE value_type first(const row_type& row) const { return first_sum(row, first_biased(row)); }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(x);
    problem.require(residual);
    problem.add(make_operand("x", operand_kind::input, x, x_layout));
    problem.add(make_operand("residual", operand_kind::input, residual, residual_layout));
    if constexpr (!is_same<Bias, absent>) {
      if (bias != nullptr) problem.add(make_source_parameter("bias", bias));
    }
  }
#endif

 protected:
  // x + bias of a granule, and of column 0.
  template <class Position>
  ROWFOLD_DEVICE vec<value_type, granule> biased(const Position& position, const packed<X, granule>& x_granule) const {
    vec<value_type, granule> values = widen(x_granule);
    if constexpr (!is_same<Bias, absent>) {
      if (bias != nullptr) values = detail::add_values(values, load_parameter<value_type, granule>(bias, position));
    }
    return values;
  }
  ROWFOLD_DEVICE value_type first_biased(const row_type& row) const {
    const value_type value = to_accumulate(load_element<load_hint::coherent>(row.x));
    if constexpr (!is_same<Bias, absent>) {
      if (bias != nullptr) {
        return math::add_rn(value, convert<value_type>(load_element<load_hint::read_only>(bias)));
      }
    }
    return value;
  }

  // What is folded of column 0, where `value` is added to the residual.
  ROWFOLD_DEVICE value_type first_sum(const row_type& row, value_type value) const {
    value = math::add_rn(value, to_accumulate(load_element<load_hint::coherent>(row.residual)));
    return to_accumulate(from_accumulate<folded_type>(value));
  }
};

// The source's values, a sum for instance, in a tensor of rows of T or nowhere (null). Each is rounded once, to nearest
// even; one that is a T already stays what it is. A lane stores them after its own loads of the row, so the tensor may
// be one of the source's own (the same address, type and layout).
template <class T>
struct source_sink : optional_rows<T> {
  template <int, class Position, class Accumulate, int N, class Y, class Result>
  ROWFOLD_DEVICE packed<T, N> pack(const T*, const Position&, const vec<Accumulate, N>& x, const Y&,
                                   const Result&) const {
    return narrow<T>(x);
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const { problem.add_optional_output("sum", this->data, this->layout); }
#endif
};

template <class T>
inline constexpr int widest_element<source_sink<T>> = static_cast<int>(sizeof(T));
template <class T>
inline constexpr bool stores_source<source_sink<T>, 0> = true;
template <class X, class Residual, class Sum, class Bias, residual_rounding Rounding>
inline constexpr bool finds_rows_alone<residual_source<X, Residual, Sum, Bias, Rounding>> = true;

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

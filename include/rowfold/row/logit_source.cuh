// SPDX-License-Identifier: MIT
// The source of softmax with options: x * scale + mask, and -inf in the columns that a row does not see.
//
// Values come divided by a `unit` of at least 1, which the host chooses (logit_scaling), so that no finite input
// overflows and differences of two values lose nothing: without a mask x is multiplied by a power of two alone, and the
// rest of the scale is the unit. With a mask x * scale + mask is formed with one rounding, and the unit is a power of
// two.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/logit_scaling.hpp"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/source.cuh"
#include "rowfold/row/visible_columns.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// How many leading columns of row `row` take part, 0 to cols. A Columns type of one's own has such a function in its
// namespace, and describe(row_problem&). Not to read memory where cols is 0: there is no such row then.
ROWFOLD_DEVICE int visible_columns(const absent&, long long, int cols) { return cols; }

ROWFOLD_DEVICE int visible_columns(const prepared_causal_columns& causal, long long row, int cols) {
  const long long limit = causal.query.offset(row) + causal.offset + 1;
  return limit < 0 ? 0 : limit < cols ? static_cast<int>(limit) : cols;
}

template <class Length>
ROWFOLD_DEVICE int visible_columns(const row_lengths<Length>& lengths, long long row, int cols) {
  if (cols == 0) return 0;
  const Length length = load_element<load_hint::read_only>(lengths.lengths + row);
  return length < 0 ? 0 : length < cols ? static_cast<int>(length) : cols;
}

template <class First, class Second>
ROWFOLD_DEVICE int visible_columns(const fewer_columns<First, Second>& columns, long long row, int cols) {
  const int first = visible_columns(columns.first, row, cols);
  const int second = visible_columns(columns.second, row, cols);
  return first < second ? first : second;
}

namespace detail {

template <class X, class Mask, int N>
struct logit_inputs {
  using list = granule_list<packed<X, N>, packed<Mask, N>>;
};
template <class X, int N>
struct logit_inputs<X, absent, N> {
  using list = granule_list<packed<X, N>>;
};

}  // namespace detail

// Scaled: scaling.x_factor counts; else it is 1. Mask: its element type, or `absent`. Columns: row/visible_columns.hpp,
// or `absent`.
template <class X, bool Scaled, class Mask, class Columns>
struct logit_source {
  using value_type = accumulate_t<X>;
  static constexpr bool has_mask = !is_same<Mask, absent>;
  static constexpr bool hides_columns = !is_same<Columns, absent>;
  static constexpr int granule = granule_of<X, Mask>;
  using inputs = typename detail::logit_inputs<X, Mask, granule>::list;

  struct row_type {
    const X* data;
    const Mask* mask;
    long long index;
    int cols;
    int visible;
  };

  const X* data;
  row_layout layout;  // resolved
  const Mask* mask;
  row_layout mask_layout;  // resolved
  Columns columns;         // by prepare_columns
  logit_scaling<value_type> scaling;

  ROWFOLD_DEVICE row_type row(long long row, int cols) const {
    const Mask* mask_row = nullptr;
    if constexpr (has_mask) mask_row = mask + mask_layout.offset(row);
    return {data + layout.offset(row), mask_row, row, cols, visible_columns(columns, row, cols)};
  }

  template <int I>
  ROWFOLD_DEVICE auto input(const row_type& row) const {
    if constexpr (I == 0) {
      return row.data;
    } else {
      return row.mask;
    }
  }

  template <class Position, class... Masks>
  ROWFOLD_DEVICE vec<value_type, granule> unpack(const row_type& row, const Position& position,
                                                 const packed<X, granule>& x, const Masks&... masks) const {
    vec<value_type, granule> values = widen(x);
    if constexpr (has_mask) {
      const vec<value_type, granule> added = convert_values<value_type>(widen(masks...));
      ROWFOLD_UNROLL
      for (int i = 0; i < granule; ++i) {
        values[i] = math::fma_rn(values[i], scaling.x_factor, math::mul_rn(added[i], scaling.mask_factor));
      }
    } else if constexpr (Scaled) {
      ROWFOLD_UNROLL
      for (int i = 0; i < granule; ++i) values[i] = math::mul_rn(values[i], scaling.x_factor);
    }
    if constexpr (hides_columns) {
      ROWFOLD_UNROLL
      for (int i = 0; i < granule; ++i) {
        values[i] = position.column + i < row.visible ? values[i] : -limits<value_type>::infinity;
      }
    }
    return values;
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(data);
    problem.add(make_operand("x", operand_kind::input, data, layout));
    if constexpr (has_mask) {
      problem.require(mask);
      problem.add(make_operand("mask", operand_kind::input, mask, mask_layout));
    }
    if constexpr (hides_columns) columns.describe(problem);
  }
#endif
};

template <class X, bool Scaled, class Mask, class Columns>
inline constexpr int source_registers<logit_source<X, Scaled, Mask, Columns>> = is_same<Columns, absent> ? 0 : 16;

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The sources of gated activations: rows of activation(gate) * value, column by column, in front of any folds, maps and
// sinks. The activation is a value type that is called with one float (or double) and returns one: those of
// numeric/activation.cuh, or a user's own. It is the gate alone that is activated. Both are called by all lanes of a
// row's group, as row/source.cuh says.
//
// activation(gate) is rounded to float, its product with value too (double for double); nothing is rounded to the
// tensors' types in between. A thread keeps the product while the row is folded, so that it is computed once: it takes
// no more registers than gate and value.
//
//   const auto source = rowfold::gated_halves(rowfold::silu{}, x, cols);    // rows of 2 * cols, the gate in front
//   rowfold::fold_rows({rows, cols}, source, stages, map, sink);
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/packed.cuh"
#include "rowfold/numeric/activation.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/row/gate_place.hpp"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/row_problem.hpp"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// One row of gate and value. cols is 0 for a group that has no row.
template <class Gate, class Value>
struct gated_row {
  const Gate* gate;
  const Value* value;
  long long index;
  int cols;
};

// Gate and value in two tensors of rows, or in two halves of one. The types are all of double or none of them is.
template <class Activation, class Gate, class Value = Gate>
struct gated_source {
  using value_type = accumulate_t<Gate>;
  static_assert(is_same<accumulate_t<Value>, value_type>, "gate and value are both of double or none of them is");
  static constexpr int granule = granule_of<Gate, Value>;
  using inputs = granule_list<packed<Gate, granule>, packed<Value, granule>>;
  using kept = granule_list<packed<value_type, granule>>;
  using row_type = gated_row<Gate, Value>;

  Activation activation;
  const Gate* gate;
  const Value* value;
  row_layout gate_layout;   // resolved
  row_layout value_layout;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int cols) const {
    return {gate + gate_layout.offset(row), value + value_layout.offset(row), row, cols};
  }

  template <int I>
  ROWFOLD_DEVICE auto input(const row_type& row) const {
    if constexpr (I == 0) {
      return row.gate;
    } else {
      return row.value;
    }
  }

  template <class Position>
  ROWFOLD_DEVICE kept keep(const row_type&, const Position&, const packed<Gate, granule>& gates,
                           const packed<Value, granule>& values) const {
    vec<value_type, granule> product = widen(gates);
    const vec<value_type, granule> factor = widen(values);
    ROWFOLD_UNROLL
    for (int i = 0; i < granule; ++i) product[i] = math::mul_rn(activation(product[i]), factor[i]);
    return {narrow<value_type>(product), {}};
  }

  template <class Position>
  ROWFOLD_DEVICE vec<value_type, granule> unpack(const row_type&, const Position&,
                                                 const packed<value_type, granule>& product) const {
    return widen(product);
  }

  ROWFOLD_DEVICE value_type first(const row_type& row) const {
    return math::mul_rn(activation(to_accumulate(load_element<load_hint::coherent>(row.gate))),
                        to_accumulate(load_element<load_hint::coherent>(row.value)));
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(gate);
    problem.require(value);
    problem.add(make_operand("gate", operand_kind::input, gate, gate_layout));
    problem.add(make_operand("value", operand_kind::input, value, value_layout));
  }
#endif
};

// Gate and value in turn, in rows of 2 * cols elements. Place: even_columns or odd_columns, where the gates are.
template <class Activation, class X, gate_place Place = gate_place::even_columns>
struct interleaved_gated_source {
  static_assert(is_interleaved(Place), "halves of a row are a gated_source");
  using value_type = accumulate_t<X>;
  static constexpr int granule = granule_of<X>;
  using inputs = granule_list<packed<X, 2 * granule>>;
  using kept = granule_list<packed<value_type, granule>>;
  using row_type = tensor_row<const X>;
  static constexpr int gate_index = Place == gate_place::even_columns ? 0 : 1;

  Activation activation;
  const X* x;
  row_layout layout;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return {x + layout.offset(row), row, cols}; }

  template <int>
  ROWFOLD_DEVICE const X* input(const row_type& row) const {
    return row.data;
  }

  template <class Position>
  ROWFOLD_DEVICE kept keep(const row_type&, const Position&, const packed<X, 2 * granule>& pairs) const {
    const vec<value_type, 2 * granule> both = widen(pairs);
    vec<value_type, granule> product;
    ROWFOLD_UNROLL
    for (int i = 0; i < granule; ++i) {
      product[i] = math::mul_rn(activation(both[2 * i + gate_index]), both[2 * i + 1 - gate_index]);
    }
    return {narrow<value_type>(product), {}};
  }

  template <class Position>
  ROWFOLD_DEVICE vec<value_type, granule> unpack(const row_type&, const Position&,
                                                 const packed<value_type, granule>& product) const {
    return widen(product);
  }

  ROWFOLD_DEVICE value_type first(const row_type& row) const {
    return math::mul_rn(activation(to_accumulate(load_element<load_hint::coherent>(row.data + gate_index))),
                        to_accumulate(load_element<load_hint::coherent>(row.data + 1 - gate_index)));
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(x);
    operand o = make_operand("x", operand_kind::input, x, layout);
    o.elements_per_column = 2;
    problem.add(o);
  }
#endif
};

// What the activations of all columns of a granule take while they are computed, beside loaded granules and kept ones:
// found with the widest rows that a block holds, SiLU and GELU of 16-bit elements in front of LayerNorm.
template <class Activation, class Gate, class Value>
inline constexpr int source_registers<gated_source<Activation, Gate, Value>> = 28;
template <class Activation, class X, gate_place Place>
inline constexpr int source_registers<interleaved_gated_source<Activation, X, Place>> = 28;

// Of rows of up to 4 granules a lane. Approximations leave registers for what is kept alone, and more threads are worth
// more than loads that wait for them (SwiGLU of bfloat16 to e4m3, 8192 columns: 1.03 of a copy with 64, 0.97 with 72,
// 0.81 with 96). So are they for wide elements, whose blocks of 512 threads then fit twice (float, 8192 columns: 1.03
// with 64, 0.81 with 76).
template <class Activation, class Gate, class Value>
inline constexpr int held_register_limit<gated_source<Activation, Gate, Value>> = sizeof(Value) == 4 ? 64 : 0;
template <class Activation, class Gate, class Value>
inline constexpr int held_register_limit<gated_source<approximate_activation<Activation>, Gate, Value>> =
    sizeof(Value) <= 4 ? 64 : 0;
template <class Activation, class X, gate_place Place>
inline constexpr int held_register_limit<interleaved_gated_source<approximate_activation<Activation>, X, Place>> = 64;

#if !defined(__CUDACC_RTC__)

// Gate and value in two tensors of [rows, cols].
template <class Activation, class Gate, class Value>
gated_source<Activation, Gate, Value> gated_pair(Activation activation, const Gate* gate, const Value* value, int cols,
                                                 const row_layout& gate_layout = {},
                                                 const row_layout& value_layout = {}) {
  return {activation, gate, value, gate_layout.resolved(cols), value_layout.resolved(cols)};
}

// Gate and value in halves of rows of 2 * cols elements; `layout` is that of these rows. Place: first_half or
// second_half, where the gate is.
template <gate_place Place = gate_place::first_half, class Activation, class X>
gated_source<Activation, X> gated_halves(Activation activation, const X* x, int cols, const row_layout& layout = {}) {
  static_assert(!is_interleaved(Place), "interleaved rows are gated_interleaved");
  const row_layout rows = detail::resolved_for_both(layout, cols);
  const X* const second = x == nullptr ? nullptr : x + cols;
  return Place == gate_place::first_half ? gated_source<Activation, X>{activation, x, second, rows, rows}
                                         : gated_source<Activation, X>{activation, second, x, rows, rows};
}

// Gate and value in turn in rows of 2 * cols elements.
template <gate_place Place = gate_place::even_columns, class Activation, class X>
interleaved_gated_source<Activation, X, Place> gated_interleaved(Activation activation, const X* x, int cols,
                                                                 const row_layout& layout = {}) {
  return {activation, x, detail::resolved_for_both(layout, cols)};
}

#endif

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

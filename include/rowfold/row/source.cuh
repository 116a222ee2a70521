// SPDX-License-Identifier: MIT
// Sources: where the engine's rows come from. A source is a small value type that a kernel receives by value. It says
// which tensors it reads and how their elements become values; the engine loads them.
//
//   using inputs = granule_list<packed<A, n>, packed<B, m>>;  // what one granule is in each tensor, in registers
//   using value_type = float or double;             // what folds and maps see
//   static constexpr int granule = ...;             // columns a thread loads at a time (16 bytes of the narrowest one)
//   row_type row(long long row, int cols) const;    // a row, cheap to copy; it has the members `cols` and `index`
//   template <int I> const T* input(const row_type&) const;  // where the row starts in tensor I; or, where columns
//                                                   // lie apart, spaced_row<const T> (row/spaced_parts.cuh)
//   vec<value_type, granule> unpack(const row_type&, const position&, const packed<A, n>&, const packed<B, m>&) const;
//   value_type first(const row_type&) const;        // the value in column 0 (cols > 0), for stages that ask for it
//   void describe(row_problem&) const;              // on the host: adds the tensors that it reads
//
// A tensor may have more than one element a column: n is then that many times the granule. unpack is called for every
// granule, also past the end of the row, where its arguments are unspecified bits; it must not read memory there.
// A source must give the same values each time: wide rows are read more than once.
//
// A source that reads several tensors may keep less of them. It then has two members more, and unpack gets what was
// kept:
//
//   using kept = granule_list<packed<C, k>>;        // what one granule is in registers while the row is folded
//   kept keep(const row_type&, const position&, const packed<A, n>&, const packed<B, m>&) const;
//   vec<value_type, granule> unpack(const row_type&, const position&, const packed<C, k>&) const;
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/numeric/convert.cuh"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Registers that rows held by a source of the library need beside what its inputs take.
template <class Source>
inline constexpr int source_registers = 0;

// The most registers of kernels that hold rows of a source which does best with few; else 0.
template <class Source>
inline constexpr int held_register_limit = 0;

// The same of kernels that stage rows, for sources that keep less than they read.
template <class Source>
inline constexpr int source_staged_registers = 0;

// Whether row() reads no memory: then a block finds its row before it waits for the previous grid. Said for each source
// itself, not for those that derive from it, whose rows may lie where an index in memory says.
template <class Source>
inline constexpr bool finds_rows_alone = false;

// One row of a tensor: `cols` elements from `data`. cols is 0 for a group that has no row.
template <class T>
struct tensor_row {
  T* data;
  long long index;
  int cols;
};

// A tensor of rows as it lies in memory: x itself.
template <class T>
struct plain_source {
  using value_type = accumulate_t<T>;
  static constexpr int granule = granule_of<T>;
  using inputs = granule_list<packed<T, granule>>;
  using row_type = tensor_row<const T>;

  const T* data;
  row_layout layout;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return {data + layout.offset(row), row, cols}; }

  template <int>
  ROWFOLD_DEVICE const T* input(const row_type& row) const {
    return row.data;
  }

  template <class Position>
  ROWFOLD_DEVICE vec<value_type, granule> unpack(const row_type&, const Position&, const packed<T, granule>& x) const {
    return widen(x);
  }

  ROWFOLD_DEVICE value_type first(const row_type& row) const {
    return to_accumulate(load_element<load_hint::coherent>(row.data));
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(data);
    problem.add(make_operand("x", operand_kind::input, data, layout));
  }
#endif
};

template <class T>
inline constexpr bool finds_rows_alone<plain_source<T>> = true;

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

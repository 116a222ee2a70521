// SPDX-License-Identifier: MIT
// Sources: where the engine's rows come from. A source is a small value type that a kernel receives by value:
//
//   using packed_type = ...;                        // what one granule is while it waits in registers: 32-bit words
//   using value_type = float or double;             // what folds and maps see
//   static constexpr int granule = ...;             // columns a thread loads at a time (16 bytes of the narrowest input)
//   row_type row(long long row, int cols) const;    // a row, cheap to copy; it has the members `cols` and `index`
//   template <bool AnyAccess> using fetched_type = ...;                                 // a granule on its way
//   template <granule_access Access> auto fetch(const row_type&, int column) const;     // asks for a granule
//   template <granule_access Access> packed_type finish(fetched, const row_type&, int column) const;   // has arrived
//   static vec<value_type, granule> unpack(const packed_type&);
//   value_type first(const row_type&) const;        // the value in column 0 (cols > 0)
//   void describe(row_problem&) const;              // on the host: adds the tensors that it reads
//
// A source must give the same values each time it loads a granule: wide rows are read more than once.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/numeric/convert.cuh"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {
template <class... Elements>
ROWFOLD_HOST_DEVICE constexpr int columns_of_16_bytes() {
  int most = 1;
  ((most = 16 / static_cast<int>(sizeof(Elements)) > most ? 16 / static_cast<int>(sizeof(Elements)) : most), ...);
  return most;
}
}  // namespace detail

// Columns that make 16 bytes of the narrowest of the given element types.
template <class... Elements>
inline constexpr int granule_of = detail::columns_of_16_bytes<Elements...>();

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
  using element_type = T;
  using value_type = accumulate_t<T>;
  static constexpr int granule = granule_of<T>;
  using packed_type = packed<T, granule>;
  using row_type = tensor_row<const T>;

  const T* data;
  row_layout layout;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return {data + layout.offset(row), row, cols}; }

  template <bool AnyAccess>
  using fetched_type = fetched_granule<AnyAccess, T, granule>;

  template <granule_access Access>
  ROWFOLD_DEVICE auto fetch(const row_type& row, int column) const {
    return fetch_granule<Access, load_hint::coherent, granule>(row.data, row.cols, column);
  }

  template <granule_access Access, class Fetched>
  ROWFOLD_DEVICE packed_type finish(const Fetched& fetched, const row_type& row, int column) const {
    return finish_granule<Access, load_hint::coherent, granule>(fetched, row.data, row.cols, column);
  }

  ROWFOLD_DEVICE static vec<value_type, granule> unpack(const packed_type& p) { return widen(p); }

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

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

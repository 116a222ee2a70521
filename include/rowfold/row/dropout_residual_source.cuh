// SPDX-License-Identifier: MIT
// The source of a residual addition after a dropout: rows of dropout(x + bias) + residual. It is the residual_source
// but for what it adds, and called as that is. The dropout is in the accumulate type, between the two additions.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/dropout_map.cuh"
#include "rowfold/row/residual_source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

template <class X, class Residual, class Sum = Residual, class Bias = absent,
          residual_rounding Rounding = residual_rounding::stored>
struct dropout_residual_source : residual_source<X, Residual, Sum, Bias, Rounding> {
  using base = residual_source<X, Residual, Sum, Bias, Rounding>;
  using value_type = typename base::value_type;
  using folded_type = typename base::folded_type;
  using kept = typename base::kept;
  using row_type = typename base::row_type;
  static constexpr int granule = base::granule;

  dropout_map dropout;

  template <class Position>
  ROWFOLD_DEVICE kept keep(const row_type&, const Position& position, const packed<X, granule>& x_granule,
                           const packed<Residual, granule>& residual_granule) const {
    const auto kept_x = dropout.apply(this->biased(position, x_granule), position.row, position.column);
    return {narrow<folded_type>(detail::add_values(kept_x, widen(residual_granule))), {}};
  }

  ROWFOLD_DEVICE value_type first(const row_type& row) const {
    const auto kept_x = dropout.apply(vec<value_type, 1>{{this->first_biased(row)}}, row.index, 0);
    return this->first_sum(row, kept_x[0]);
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    base::describe(problem);
    dropout.describe(problem);
  }
#endif
};

// A block of random bits, beside all that a residual_source has.
template <class X, class Residual, class Sum, class Bias, residual_rounding Rounding>
inline constexpr int source_registers<dropout_residual_source<X, Residual, Sum, Bias, Rounding>> = 8;
template <class X, class Residual, class Sum, class Bias, residual_rounding Rounding>
inline constexpr int source_staged_registers<dropout_residual_source<X, Residual, Sum, Bias, Rounding>> = 16;

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// activation_map: an activation function (numeric/activation.cuh, or a functor of the user's) as a map of the row
// engine, for use alone or after a norm. What a map is and who calls it: row/map.cuh.
//   chain(affine_map<...>{...}, activation_map<silu>{})
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/activation.cuh"
#include "rowfold/row/map.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// y = activation(x) for every column. Activation: a small value type with T operator()(T x) const for float (and for
// double where rows are double).
template <class Activation>
struct activation_map : plain_map<activation_map<Activation>> {
  Activation activation;

  ROWFOLD_HOST_DEVICE constexpr explicit activation_map(const Activation& function = Activation())
      : activation(function) {}

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position&, const Result&) const {
    vec<Accumulate, N> y;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) y[i] = activation(values[i]);
    return y;
  }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

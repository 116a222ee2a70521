// SPDX-License-Identifier: MIT
// What a map has made of a thread's granules, kept in registers between a fold over it (row/mapped_stage.cuh) and the
// last pass: the map is applied once, and its parameters are loaded once. Each thread has its own.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/vec.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A map that returns what keeping_map has kept: of Vectors granules of N columns.
template <class Accumulate, int N, int Vectors>
struct kept_results {
  vec<Accumulate, N> granules[Vectors];

  template <class Values, class At, class Result>
  ROWFOLD_DEVICE const vec<Accumulate, N>& operator()(const Values&, const At& position, const Result&) const {
    return granules[position.index];
  }
};

// The map, which keeps what it makes.
template <class Map, class Kept>
struct keeping_map {
  const Map& map;
  Kept& kept;

  template <class Values, class At, class Result>
  ROWFOLD_DEVICE auto operator()(const Values& values, const At& position, const Result& result) const {
    return kept.granules[position.index] = map(values, position, result);
  }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

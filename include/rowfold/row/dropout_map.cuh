// SPDX-License-Identifier: MIT
// dropout_map: dropout as a map of the row engine, alone or after a norm. What a map is and who calls it: row/map.cuh.
//   chain(affine_map<...>{...}, dropout_map(p, random_state{seed, offset}, cols))
//
// An element is dropped where the random number of its place, uniform on the multiples of 2^-24 in [0, 1), is below p;
// the bits are Philox's (numeric/philox.cuh) for element row * cols + column. So the mask depends on p, seed, offset
// and that index alone, not on kernel, vector width, address or stride: a backward pass gets it again from the same
// three numbers.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/vec.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/numeric/philox.cuh"
#include "rowfold/row/dropout.hpp"
#include "rowfold/row/map.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// y = 0 for elements that are dropped, whatever they were, and x * scale for those that are not; scale is 1 / (1 - p),
// rounded once to float. p = 0 returns the values as they are, p = 1 zeros.
class dropout_map {
 public:
#if !defined(__CUDACC_RTC__)
  // Of rows of `cols` columns.
  dropout_map(double p, const random_state& random, int cols)
      : seed_(random.seed),
        offset_(random.offset),
        device_seed_(random.device_seed),
        device_offset_(random.device_offset),
        drop_(p),
        scale_(p < 1 ? static_cast<float>(1 / (1 - p)) : 0.0f),
        cols_(cols),
        kind_(!is_drop_probability(p) ? kind::refused
              : p > 0                 ? kind::some
                                      : kind::none) {}

  dropout_map held() const { return *this; }

  void describe(row_problem& problem) const {
    if (kind_ == kind::refused) problem.blame(problem_fault::bad_option);
  }
#endif

  // The values of columns `column` and those after it.
  template <class Accumulate, int N>
  ROWFOLD_DEVICE vec<Accumulate, N> apply(const vec<Accumulate, N>& values, long long row, int column) const {
    if (kind_ == kind::none) return values;
    const auto bits = random_words<N>(stream(), static_cast<unsigned long long>(row * cols_ + column));
    vec<Accumulate, N> y;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      y[i] = drop_(bits.word[i]) ? Accumulate{0} : math::mul_rn(values[i], static_cast<Accumulate>(scale_));
    }
    return y;
  }

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position& position,
                                               const Result&) const {
    return apply(values, position.row, position.column);
  }

 private:
  enum class kind { none, some, refused };

  ROWFOLD_DEVICE philox_stream stream() const {
    philox_stream result{seed_, offset_};
    if (device_seed_ != nullptr) result.seed = load(device_seed_);
    if (device_offset_ != nullptr) result.offset += load(device_offset_);
    return result;
  }

  ROWFOLD_DEVICE static unsigned long long load(const void* address) {
    return bit_copy<unsigned long long>(load_global<8, load_hint::read_only>(address));
  }

  unsigned long long seed_;
  unsigned long long offset_;
  const void* device_seed_;
  const void* device_offset_;
  random_event drop_;
  float scale_;
  int cols_;
  kind kind_;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

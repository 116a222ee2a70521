// SPDX-License-Identifier: MIT
// Quantised rows: the sink that makes 8-bit codes of what the map made, and the stage that finds a row's scale. Called
// as every sink and stage is (row/sink.cuh, row/stages.cuh): by all lanes of the warp together.
//
//   quantize_sink<Q, quantize_scale::given>{out}        // after any stages and map; out: quantized_output, resolved
//   quantize_sink<Q, quantize_scale::per_group>{out}    // the same
//   quantize_sink<Q, quantize_scale::per_row>{out}      // needs append(folds, row_scale<Q>(map, power_of_two))
//
// A code is the value divided by its scale, as numeric/quantize.cuh defines it. A largest absolute value is exact in
// any order, so the codes depend on the mapped values alone, whatever the fold shape.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/memory/granule.cuh"
#include "rowfold/numeric/bits.cuh"
#include "rowfold/numeric/quantize.cuh"
#include "rowfold/ptx/guarded_access.cuh"
#include "rowfold/row/mapped_stage.cuh"
#include "rowfold/row/quantized.hpp"
#include "rowfold/row/row_problem.hpp"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/stages.cuh"
#include "rowfold/warp/warp_reduce.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A scale, and the division by it.
template <class Q>
struct row_scale_result {
  float scale;
  scale_divider<Q> divide;
};
// The same of values after a map: instructions bound those kernels, and a branch in the place of a product of every
// value is faster (bfloat16 RMSNorm to e4m3, 1024 columns: 0.89 of a copy, with the product 0.86). Elsewhere it is
// slower (bfloat16 SwiGLU to e4m3, 8192 columns: 0.99, with the product 1.02).
template <class Q>
struct mapped_scale_result : row_scale_result<Q> {};

namespace detail {

// The largest absolute value of the granule's columns, or `largest`.
template <int N, class Position>
ROWFOLD_DEVICE float largest_of(const vec<float, N>& values, const Position& position, float largest) {
  if constexpr (Position::access == granule_access::any) {
    position.template for_each_column<N>([&](int i) { largest = math::larger_magnitude(largest, values[i]); });
    return largest;
  } else {
    // A choice between values and no branch, so that the granules of a thread do not wait for one another.
    float found = math::absolute(values[0]);
    ROWFOLD_UNROLL
    for (int i = 1; i < N; ++i) found = math::larger_magnitude(found, values[i]);
    return position.exists() ? math::maximum(largest, found) : largest;
  }
}

template <class Q>
ROWFOLD_DEVICE float scale_of(float largest, bool power_of_two) {
  const float scale = dynamic_scale<Q>(largest);
  return power_of_two ? power_of_two_scale(scale) : scale;
}

// One row of codes, and its scales or the division by the one that was given.
template <class Q, quantize_scale Mode>
struct quantized_row {
  Q* q;
  float* scale;
};
template <class Q>
struct quantized_row<Q, quantize_scale::given> {
  Q* q;
  scale_divider<Q> divide;
};

}  // namespace detail

// From the largest absolute value of a row to its scale: a row_scale_result or a mapped_scale_result.
template <class Q, class ScaleResult>
struct row_scale_stage {
  using state_type = float;
  static constexpr bool loads_first = false;

  bool power_of_two;

  template <class Source, class Row>
  ROWFOLD_DEVICE no_result begin(const Source&, const Row&, no_result) const {
    return {};
  }
  ROWFOLD_DEVICE state_type identity() const { return 0; }
  template <int N, class Position>
  ROWFOLD_DEVICE void add(state_type& state, const vec<float, N>& values, const Position& position, no_result) const {
    state = detail::largest_of(values, position, state);
  }
  ROWFOLD_DEVICE maximum merge() const { return {}; }
  ROWFOLD_DEVICE ScaleResult finish(float largest, no_result, no_result) const {
    const float scale = detail::scale_of<Q>(largest, power_of_two);
    ScaleResult result{};
    result.scale = scale;
    result.divide = scale_divider<Q>::by_dynamic(scale);
    return result;
  }
};

// The stage that finds the scale of rows whose mapped values are quantised.
template <class Q, class Map>
ROWFOLD_HOST_DEVICE constexpr auto row_scale(const Map& map, bool power_of_two) {
  if constexpr (is_same<Map, identity_map>) {
    return mapped_stage<Map, row_scale_stage<Q, row_scale_result<Q>>>{map, {power_of_two}};
  } else {
    return mapped_stage<Map, row_scale_stage<Q, mapped_scale_result<Q>>>{map, {power_of_two}};
  }
}

// Stores codes, and the scales that it or row_scale made.
template <class Q, quantize_scale Mode>
struct quantize_sink {
  static constexpr int output_count = 1;
  static constexpr int widest_column = 1;
  using row_type = detail::quantized_row<Q, Mode>;

  quantized_output<Q, Mode> out;  // resolved

  ROWFOLD_DEVICE row_type row(long long row, int cols) const {
    Q* const q = out.q + out.q_layout.offset(row);
    if constexpr (Mode == quantize_scale::given) {
      return {q, scale_divider<Q>(cols > 0 ? load_element<load_hint::read_only>(out.scale) : 1.0f)};
    } else {
      return {q, out.scale + row * out.scale_row_stride};
    }
  }

  template <int>
  ROWFOLD_DEVICE Q* output(const row_type& row) const {
    return row.q;
  }

  template <int, class Position, class X, int N, class Result>
  ROWFOLD_DEVICE packed<Q, N> pack(const row_type& row, const Position& position, const X&, const vec<float, N>& y,
                                   const Result& result) const {
    if constexpr (Mode == quantize_scale::given) {
      return divide_all(y, [&](float value) { return row.divide(value); });
    } else if constexpr (Mode == quantize_scale::per_row) {
      return divide_row(y, result);
    } else {
      // The plan sees to it that the lanes of a row are a multiple of those that hold a group.
      constexpr int lanes = quantize_group / N;
      const float largest = warp_all_reduce<lanes>(detail::largest_of(y, position, 0.0f), maximum{});
      const float scale = detail::scale_of<Q>(largest, out.power_of_two);
      store_if<4>(row.scale + position.column / quantize_group * out.scale_group_stride, bit_copy<raw_bytes<4>>(scale),
                  position.segment.rank % lanes == 0 && position.column < position.cols);
      // Every group has a scale of its own, and few registers are left for a branch.
      const auto divide = scale_divider<Q>::by_dynamic(scale);
      return divide_all(y, [&](float value) { return divide.divide_finite(value); });
    }
  }

  template <class Result>
  ROWFOLD_DEVICE void finish(const row_type& row, const Result& result) const {
    if constexpr (Mode == quantize_scale::per_row) {
      const row_scale_result<Q>& found = result;
      store_element<store_hint::write_back>(row.scale, found.scale);
    }
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const { describe_quantized(problem, out); }
#endif

 private:
  template <int N>
  ROWFOLD_DEVICE static packed<Q, N> divide_row(const vec<float, N>& y, const row_scale_result<Q>& found) {
    return divide_all(y, [&](float value) { return found.divide.divide_finite(value); });
  }
  template <int N>
  ROWFOLD_DEVICE static packed<Q, N> divide_row(const vec<float, N>& y, const mapped_scale_result<Q>& found) {
    if (found.divide.prescales()) return divide_row(y, static_cast<const row_scale_result<Q>&>(found));
    return divide_all(y, [&](float value) { return found.divide.divide_unscaled(value); });
  }
  template <int N, class Divide>
  ROWFOLD_DEVICE static packed<Q, N> divide_all(const vec<float, N>& y, const Divide& divide) {
    vec<float, N> quotients;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) quotients[i] = divide(y[i]);
    return narrow<Q>(quotients);
  }
};

// The lanes that hold a group of columns work together.
template <class Q>
inline constexpr int joined_columns<quantize_sink<Q, quantize_scale::per_group>> = quantize_group;

// Where rows are in registers, float8 codes of whole rows find room within LayerNorm's bounds.
template <class Q, quantize_scale Mode>
inline constexpr extra_registers sink_registers<quantize_sink<Q, Mode>> = {
    Mode != quantize_scale::given || is_same<Q, signed char> ? 8 : 0, 16};

// Shuffles keep a group's threads waiting, and more threads fill that time (bfloat16 to e4m3, 4096 columns: 0.93 of a
// copy with 48, 0.91 with 56, 0.86 with 72).
template <class Q>
inline constexpr int part_register_limit<quantize_sink<Q, quantize_scale::per_group>> = 48;

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Adaptive modulation as a map: values * (1 + scale) + shift, where each group of rows (the tokens of one batch
// element, say) has a scale and a shift of its own, as in AdaLN (Perez et al., "FiLM", 2018; Peebles and Xie, "Scalable
// Diffusion Models with Transformers", 2023). Usable after either norm, or any other map:
//
//   const modulate_map<__half, __half> map{scale, shift, {rows_per_group, cols, cols}};
//   fold_rows({rows, cols}, source, rms_stages<float>(cols, 1e-6f), chain(rms_map{}, map), sink);
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/math.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_groups.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// values * (1 + scale[group]) + shift[group], with 1 + scale formed in the accumulate type and one rounding after it.
// A parameter of the type `absent` is not there; one that may be null is not used where it is (scale 0, shift 0).
template <class Scale, class Shift, bool MayBeNull = true>
struct modulate_map {
  static constexpr bool has_scale = !is_same<Scale, absent>;
  static constexpr bool has_shift = !is_same<Shift, absent>;

  const Scale* scale;  // the first group's vector, [cols]
  const Shift* shift;
  row_groups groups;  // strides: of scale, of shift

#if !defined(__CUDACC_RTC__)
  modulate_map<Scale, Shift, false> held() const { return {scale, shift, groups}; }

  void describe(row_problem& problem) const {
    groups.check(problem);
    if constexpr (has_scale) groups.describe(problem, "scale", scale, groups.first_stride);
    if constexpr (has_shift) groups.describe(problem, "shift", shift, groups.second_stride);
  }
#endif

  static constexpr bool fetches = true;

  template <int N, class Position>
  ROWFOLD_DEVICE fetched_pair<Scale, Shift, N> fetch(const Position& position) const {
    const long long group = groups.of(position.row);
    fetched_pair<Scale, Shift, N> fetched{};
    if constexpr (has_scale) {
      if (!MayBeNull || scale != nullptr) {
        fetched.first = fetch_parameter<N>(scale + group * groups.first_stride, position);
      }
    }
    if constexpr (has_shift) {
      if (!MayBeNull || shift != nullptr) {
        fetched.second = fetch_parameter<N>(shift + group * groups.second_stride, position);
      }
    }
    return fetched;
  }

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position& position,
                                               const Result& result) const {
    return (*this)(values, position, result, fetch<N>(position));
  }

  // A parameter that is null has fetched zeros, which is what is used then.
  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position&, const Result&,
                                               const fetched_pair<Scale, Shift, N>& fetched) const {
    vec<Accumulate, N> factor, summand;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      factor[i] = Accumulate(1);
      summand[i] = Accumulate(0);
    }
    if constexpr (has_scale) {
      const auto loaded = convert_values<Accumulate>(widen(fetched.first));
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) factor[i] = math::add_rn(factor[i], loaded[i]);
    }
    if constexpr (has_shift) summand = convert_values<Accumulate>(widen(fetched.second));
    vec<Accumulate, N> y;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) y[i] = math::fma_rn(values[i], factor[i], summand[i]);
    return y;
  }
};

template <class Scale, class Shift, bool MayBeNull>
inline constexpr int fetched_bytes<modulate_map<Scale, Shift, MayBeNull>> =
    parameter_bytes<Scale> + parameter_bytes<Shift>;

template <class Scale, class Shift, bool MayBeNull>
inline constexpr int widest_element<modulate_map<Scale, Shift, MayBeNull>> =
    static_cast<int>(sizeof(Scale) > sizeof(Shift) ? sizeof(Scale) : sizeof(Shift));

// Beside LayerNorm's, the groups' addresses. Where elements are wide, threads are worth more than registers (RMSNorm of
// float, 64 columns: 0.94 of a copy, with 8 more registers 0.85; LayerNorm, 4096 columns: 0.79, with 8 more 0.69).
template <class Scale, class Shift, bool MayBeNull>
inline constexpr extra_registers map_registers<modulate_map<Scale, Shift, MayBeNull>> = {0, 8, 8, 8};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

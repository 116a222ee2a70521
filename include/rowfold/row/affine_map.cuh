// SPDX-License-Identifier: MIT
// The map of a norm's parameters: a weight and a shift of each column.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/math.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// values * gamma + beta, column by column, with one rounding. A parameter of the type `absent` is not there; one that
// may be null is not used where it is (1 and 0). With an Offset (the type of the values), gamma + offset takes gamma's
// place, where there is a gamma.
template <class Gamma, class Beta, bool MayBeNull = true, class Offset = absent>
struct affine_map {
  static constexpr bool has_gamma = !is_same<Gamma, absent>;
  static constexpr bool has_beta = !is_same<Beta, absent>;

  const Gamma* gamma;
  const Beta* beta;
  Offset offset{};

#if !defined(__CUDACC_RTC__)
  affine_map<Gamma, Beta, false, Offset> held() const { return {gamma, beta, offset}; }

  void describe(row_problem& problem) const {
    if constexpr (has_gamma) problem.add_parameter("gamma", gamma);
    if constexpr (has_beta) problem.add_parameter("beta", beta);
  }
#endif

  static constexpr bool fetches = true;

  template <int N, class Position>
  ROWFOLD_DEVICE fetched_pair<Gamma, Beta, N> fetch(const Position& position) const {
    fetched_pair<Gamma, Beta, N> fetched{};
    if constexpr (has_gamma) {
      if (!MayBeNull || gamma != nullptr) fetched.first = fetch_parameter<N>(gamma, position);
    }
    if constexpr (has_beta) {
      if (!MayBeNull || beta != nullptr) fetched.second = fetch_parameter<N>(beta, position);
    }
    return fetched;
  }

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position& position,
                                               const Result&) const {
    return apply(
        values, [&] { return fetch_parameter<N>(gamma, position); },
        [&] { return fetch_parameter<N>(beta, position); });
  }

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position&, const Result&,
                                               const fetched_pair<Gamma, Beta, N>& fetched) const {
    return apply(
        values, [&] { return fetched.first; }, [&] { return fetched.second; });
  }

 private:
  // The parameters' granules come from functions: each is asked for where it is used.
  template <class Accumulate, int N, class OfGamma, class OfBeta>
  ROWFOLD_DEVICE vec<Accumulate, N> apply(const vec<Accumulate, N>& values, const OfGamma& gamma_granule,
                                          const OfBeta& beta_granule) const {
    vec<Accumulate, N> y = values;
    if constexpr (has_gamma && has_beta) {
      if (!MayBeNull || (gamma != nullptr && beta != nullptr)) {
        const auto scale = scale_of<Accumulate>(gamma_granule());
        const auto shift = convert_values<Accumulate>(widen(beta_granule()));
        ROWFOLD_UNROLL
        for (int i = 0; i < N; ++i) y[i] = math::fma_rn(y[i], scale[i], shift[i]);
        return y;
      }
    }
    if constexpr (has_gamma) {
      if (!MayBeNull || gamma != nullptr) {
        const auto scale = scale_of<Accumulate>(gamma_granule());
        ROWFOLD_UNROLL
        for (int i = 0; i < N; ++i) y[i] = math::mul_rn(y[i], scale[i]);
      }
    }
    if constexpr (has_beta) {
      if (!MayBeNull || beta != nullptr) {
        const auto shift = convert_values<Accumulate>(widen(beta_granule()));
        ROWFOLD_UNROLL
        for (int i = 0; i < N; ++i) y[i] = math::add_rn(y[i], shift[i]);
      }
    }
    return y;
  }

  template <class Accumulate, int N>
  ROWFOLD_DEVICE vec<Accumulate, N> scale_of(const packed<Gamma, N>& granule) const {
    auto scale = convert_values<Accumulate>(widen(granule));
    if constexpr (!is_same<Offset, absent>) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) scale[i] = math::add_rn(scale[i], offset);
    }
    return scale;
  }
};

template <class Gamma, class Beta, bool MayBeNull, class Offset>
inline constexpr int widest_element<affine_map<Gamma, Beta, MayBeNull, Offset>> =
    static_cast<int>(sizeof(Gamma) > sizeof(Beta) ? sizeof(Gamma) : sizeof(Beta));

template <class Gamma, class Beta, bool MayBeNull, class Offset>
inline constexpr int fetched_bytes<affine_map<Gamma, Beta, MayBeNull, Offset>> =
    parameter_bytes<Gamma> + parameter_bytes<Beta>;

// RMSNorm's, which alone has an Offset, follows a single fold: the loads of two parameters go ahead of
// everything, and two granules more of them lie in registers at a time (the least without spills).
template <class Gamma, class Beta, bool MayBeNull, class Offset>
inline constexpr extra_registers map_registers<affine_map<Gamma, Beta, MayBeNull, Offset>> = {
    !is_same<Gamma, absent> && !is_same<Beta, absent> && !is_same<Offset, absent> ? 16 : 0, 0};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Maps: what happens to the values of a row once its folds are known. A map is a small value type with
//
//   vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position& position, const Result&) const;
//   template <class F> void resolve(const F& f) const;   // calls f(map), once
//
// where Result is what the last stage returned. It is called by every lane for each of its granules, also for columns
// that do not exist (their results are dropped), so it must not read parameters at such columns: load_parameter does
// not. resolve is called once a row, before the first granule: a map that has options known at run time only calls f
// with a map without them, so that the loop over the granules does not ask again. Maps without options and parameters
// derive from plain_map. On the host, describe(row_problem&) adds the parameters that the map reads.
// chain(a, b, c) applies a, then b, then c.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/numeric/math.cuh"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// The columns of a parameter vector, [cols], that belong to a granule: asked for now, values when they are called for.
// Columns that do not exist are not read and have unspecified values.
template <int N, class T, class Position>
class parameter_granule {
 public:
  ROWFOLD_DEVICE parameter_granule(const T* parameter, const Position& position)
      : fetched_(fetch_granule<Position::access, load_hint::read_only, N>(parameter, position.cols, position.column)),
        parameter_(parameter),
        position_(position) {}

  template <class Accumulate>
  ROWFOLD_DEVICE vec<Accumulate, N> values() const {
    return convert_values<Accumulate>(widen(finish_granule<Position::access, load_hint::read_only, N>(
        fetched_, parameter_, position_.cols, position_.column)));
  }

 private:
  fetched_granule<Position::access == granule_access::any, T, N> fetched_;
  const T* parameter_;
  Position position_;
};

// The same in one, for a map with one parameter.
template <class Accumulate, int N, class T, class Position>
ROWFOLD_DEVICE vec<Accumulate, N> load_parameter(const T* parameter, const Position& position) {
  return parameter_granule<N, T, Position>(parameter, position).template values<Accumulate>();
}

// The base of a map without options.
template <class Map>
struct plain_map {
  template <class F>
  ROWFOLD_DEVICE void resolve(const F& f) const {
    f(static_cast<const Map&>(*this));
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem&) const {}
#endif
};

// Returns the values as they are.
struct identity_map : plain_map<identity_map> {
  template <class Values, class Position, class Result>
  ROWFOLD_DEVICE Values operator()(const Values& values, const Position&, const Result&) const {
    return values;
  }
};

// values * gamma + beta, column by column, with one rounding.
template <class Gamma, class Beta>
struct scale_and_shift_map : plain_map<scale_and_shift_map<Gamma, Beta>> {
  const Gamma* gamma;
  const Beta* beta;

  ROWFOLD_HOST_DEVICE constexpr scale_and_shift_map(const Gamma* g, const Beta* b) : gamma(g), beta(b) {}

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position& position,
                                               const Result&) const {
    const parameter_granule<N, Gamma, Position> gamma_granule(gamma, position);
    const parameter_granule<N, Beta, Position> beta_granule(beta, position);
    const auto scale = gamma_granule.template values<Accumulate>();
    const auto shift = beta_granule.template values<Accumulate>();
    vec<Accumulate, N> y;
    ROWFOLD_UNROLL
    for (int i = 0; i < N; ++i) y[i] = math::fma_rn(values[i], scale[i], shift[i]);
    return y;
  }
};

// The same, where one of the pointers, or both, may be null: 1 and 0.
template <class Gamma, class Beta>
struct affine_map {
  const Gamma* gamma;
  const Beta* beta;

  template <class F>
  ROWFOLD_DEVICE void resolve(const F& f) const {
    if (gamma != nullptr && beta != nullptr) {
      f(scale_and_shift_map<Gamma, Beta>(gamma, beta));
    } else {
      f(*this);
    }
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    if (gamma != nullptr) problem.add(make_operand("gamma", operand_kind::parameter, gamma));
    if (beta != nullptr) problem.add(make_operand("beta", operand_kind::parameter, beta));
  }
#endif

  template <class Accumulate, int N, class Position, class Result>
  ROWFOLD_DEVICE vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position& position,
                                               const Result& result) const {
    vec<Accumulate, N> y = values;
    if (gamma != nullptr && beta != nullptr) return scale_and_shift_map<Gamma, Beta>(gamma, beta)(y, position, result);
    if (gamma != nullptr) {
      const auto scale = load_parameter<Accumulate, N>(gamma, position);
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) y[i] = math::mul_rn(y[i], scale[i]);
    }
    if (beta != nullptr) {
      const auto shift = load_parameter<Accumulate, N>(beta, position);
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) y[i] = math::add_rn(y[i], shift[i]);
    }
    return y;
  }
};

template <class First, class Second>
struct chained_map;

namespace detail {

// Calls f with the chain of two resolved maps, found one behind the other.
template <class First, class F>
struct chain_resolved {
  const First& first;
  const F& f;

  template <class Second>
  ROWFOLD_DEVICE void operator()(const Second& second) const {
    f(chained_map<First, Second>{first, second});
  }
};

template <class Second, class F>
struct resolve_second {
  const Second& second;
  const F& f;

  template <class First>
  ROWFOLD_DEVICE void operator()(const First& first) const {
    second.resolve(chain_resolved<First, F>{first, f});
  }
};

}  // namespace detail

template <class First, class Second>
struct chained_map {
  First first;
  Second second;

  template <class Values, class Position, class Result>
  ROWFOLD_DEVICE auto operator()(const Values& values, const Position& position, const Result& result) const {
    return second(first(values, position, result), position, result);
  }

  template <class F>
  ROWFOLD_DEVICE void resolve(const F& f) const {
    first.resolve(detail::resolve_second<Second, F>{second, f});
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    first.describe(problem);
    second.describe(problem);
  }
#endif
};

// Bytes of the widest element that a map or a sink moves, as far as it is one of the library's: parts that widen what the
// source has narrow need more registers.
template <class Part>
inline constexpr int widest_element = 0;
template <class Gamma, class Beta>
inline constexpr int widest_element<affine_map<Gamma, Beta>> = static_cast<int>(sizeof(Gamma) > sizeof(Beta)
                                                                                    ? sizeof(Gamma)
                                                                                    : sizeof(Beta));
template <class First, class Second>
inline constexpr int widest_element<chained_map<First, Second>> =
    widest_element<First> > widest_element<Second> ? widest_element<First> : widest_element<Second>;

template <class Map>
ROWFOLD_HOST_DEVICE constexpr Map chain(Map map) {
  return map;
}

template <class First, class Second, class... Rest>
ROWFOLD_HOST_DEVICE constexpr auto chain(First first, Second second, Rest... rest) {
  return chain(chained_map<First, Second>{first, second}, rest...);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

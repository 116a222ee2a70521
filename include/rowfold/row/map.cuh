// SPDX-License-Identifier: MIT
// Maps: what happens to the values of a row once its folds are known. A map is a small value type with
//
//   vec<Accumulate, N> operator()(const vec<Accumulate, N>& values, const Position& position, const Result&) const;
//   auto held() const;                    // on the host: this map without its options
//
// where Result is what the last stage returned. It is called by every lane for each of its granules, also for columns
// that do not exist (their results are dropped), so it must not read parameters at such columns: load_parameter does
// not. A map may have options known at run time only, such as a parameter that is null; held() is then the same map
// where none is used, and all kernels but the one for any address are compiled for that one alone (describe says by
// row_problem::has_null_parameter that an option is used, and the planner takes that kernel). Maps without options and
// parameters derive from plain_map. On the host, describe(row_problem&) adds the parameters that the map reads.
// chain(a, b, c) applies a, then b, then c.
//
// A map whose parameters may be asked for before the folds (row/early_map.cuh) says so, and takes what it has fetched
// as one more argument:
//
//   static constexpr bool fetches = true;
//   template <int N, class Position>
//   auto fetch(const Position& position) const;  // of a granule of N columns, as it lies in memory, by
//                                                // fetch_parameter: a packed, a fetched_pair or a fetched_chain
//   vec<Accumulate, N> operator()(values, position, result, fetched) const;
//
// and, in namespace rowfold, how many bytes of a column all that is, which decides kernels and registers:
//
//   template <>
//   inline constexpr int fetched_bytes<my_map> = 2;
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// The columns of a parameter vector, [cols], that belong to a granule, as they lie in memory. Columns that do not exist
// are not read and have unspecified bits.
template <int N, class T, class Position>
ROWFOLD_DEVICE packed<T, N> fetch_parameter(const T* parameter, const Position& position) {
  return load_granule<Position::access, Position::parameter_hint, N>(parameter, position.cols, position.column,
                                                                     position.sure);
}

// Their values.
template <class Accumulate, int N, class T, class Position>
ROWFOLD_DEVICE vec<Accumulate, N> load_parameter(const T* parameter, const Position& position) {
  return convert_values<Accumulate>(widen(fetch_parameter<N>(parameter, position)));
}

// What a parameter of the type `absent` has of a granule.
struct nothing_fetched {};

namespace detail {
template <class T, int N>
struct fetched_granule {
  using type = packed<T, N>;
};
template <int N>
struct fetched_granule<absent, N> {
  using type = nothing_fetched;
};
template <class Map, class = void>
inline constexpr bool fetches = false;
template <class Map>
inline constexpr bool fetches<Map, enable_if_t<Map::fetches>> = true;
}  // namespace detail

// A granule of each of two parameters.
template <class First, class Second, int N>
struct fetched_pair {
  typename detail::fetched_granule<First, N>::type first;
  typename detail::fetched_granule<Second, N>::type second;
};

// The base of a map without options.
template <class Map>
struct plain_map {
#if !defined(__CUDACC_RTC__)
  Map held() const { return static_cast<const Map&>(*this); }
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

// What both maps of a chain have fetched.
template <class First, class Second>
struct fetched_chain {
  First first;
  Second second;
};

namespace detail {
template <int N, class Map, class Position>
ROWFOLD_DEVICE auto fetch_for(const Map& map, const Position& position) {
  if constexpr (fetches<Map>) {
    return map.template fetch<N>(position);
  } else {
    return nothing_fetched{};
  }
}
template <class Map, class Values, class Position, class Result, class Fetched>
ROWFOLD_DEVICE auto apply_fetched(const Map& map, const Values& values, const Position& position, const Result& result,
                                  const Fetched& fetched) {
  if constexpr (fetches<Map>) {
    return map(values, position, result, fetched);
  } else {
    return map(values, position, result);
  }
}
}  // namespace detail

template <class First, class Second>
struct chained_map {
  First first;
  Second second;

  static constexpr bool fetches = detail::fetches<First> || detail::fetches<Second>;

  template <int N, class Position>
  ROWFOLD_DEVICE auto fetch(const Position& position) const {
    const auto ahead = detail::fetch_for<N>(first, position);
    const auto behind = detail::fetch_for<N>(second, position);
    return fetched_chain<decltype(detail::fetch_for<N>(first, position)),
                         decltype(detail::fetch_for<N>(second, position))>{ahead, behind};
  }

  template <class Values, class Position, class Result>
  ROWFOLD_DEVICE auto operator()(const Values& values, const Position& position, const Result& result) const {
    return second(first(values, position, result), position, result);
  }
  template <class Values, class Position, class Result, class OfFirst, class OfSecond>
  ROWFOLD_DEVICE auto operator()(const Values& values, const Position& position, const Result& result,
                                 const fetched_chain<OfFirst, OfSecond>& fetched) const {
    return detail::apply_fetched(second, detail::apply_fetched(first, values, position, result, fetched.first),
                                 position, result, fetched.second);
  }

#if !defined(__CUDACC_RTC__)
  auto held() const {
    return chained_map<decltype(first.held()), decltype(second.held())>{first.held(), second.held()};
  }
  void describe(row_problem& problem) const {
    first.describe(problem);
    second.describe(problem);
  }
#endif
};

// Whether a map may read parameters: any but those that derive from plain_map.
template <class Map>
inline constexpr bool has_parameters = !__is_base_of(plain_map<Map>, Map);
template <class First, class Second>
inline constexpr bool has_parameters<chained_map<First, Second>> = has_parameters<First> || has_parameters<Second>;

// Bytes of the widest element that a map or a sink moves, as far as it is one of the library's: parts that widen what
// the source has narrow need more registers.
template <class Part>
inline constexpr int widest_element = 0;
template <class First, class Second>
inline constexpr int widest_element<chained_map<First, Second>> =
    widest_element<First> > widest_element<Second> ? widest_element<First> : widest_element<Second>;

// Bytes of a column of a parameter, and of all parameters that a map fetches.
template <class T>
inline constexpr int parameter_bytes = static_cast<int>(sizeof(T));
template <>
inline constexpr int parameter_bytes<absent> = 0;
template <class Map>
inline constexpr int fetched_bytes = 0;
template <class First, class Second>
inline constexpr int fetched_bytes<chained_map<First, Second>> = fetched_bytes<First> + fetched_bytes<Second>;

// Registers that a map needs beyond those of LayerNorm's, in kernels that hold rows and in those that stage them.
struct extra_registers {
  int held, staged;
  int early = 0;          // in a block that asks for parameters early, on top of `held`
  int fewer_if_wide = 0;  // of `held`, but in such a block, where the source's elements have 4 bytes and more
};
template <class Map>
inline constexpr extra_registers map_registers = {0, 0};
template <class First, class Second>
inline constexpr extra_registers map_registers<chained_map<First, Second>> = {
    map_registers<First>.held + map_registers<Second>.held, map_registers<First>.staged + map_registers<Second>.staged,
    map_registers<First>.early + map_registers<Second>.early,
    map_registers<First>.fewer_if_wide + map_registers<Second>.fewer_if_wide};

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

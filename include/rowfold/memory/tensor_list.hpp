// SPDX-License-Identifier: MIT
// tensor_list: pointers to arrays of equally many elements, each of a type of its own; what an elementwise op reads or
// writes. A plain value that kernels receive as it is. Elements of inputs are const.
//   rowfold::inputs(a, b)     // tensor_list<const float, const __half>
//   rowfold::outputs(y)       // tensor_list<__half>
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

template <class... Elements>
struct tensor_list;

template <>
struct tensor_list<> {
  static constexpr int size = 0;
  static constexpr int narrowest_bytes = 16;  // no element is wider than what one access moves
  static constexpr int widest_bytes = 1;
};

template <class First, class... Rest>
struct tensor_list<First, Rest...> {
  static constexpr int size = 1 + tensor_list<Rest...>::size;
  static constexpr int first_bytes = static_cast<int>(sizeof(First));
  static constexpr int narrowest_bytes =
      first_bytes < tensor_list<Rest...>::narrowest_bytes ? first_bytes : tensor_list<Rest...>::narrowest_bytes;
  static constexpr int widest_bytes =
      first_bytes > tensor_list<Rest...>::widest_bytes ? first_bytes : tensor_list<Rest...>::widest_bytes;

  First* first = nullptr;
  tensor_list<Rest...> rest{};
};

namespace detail {

ROWFOLD_HOST_DEVICE constexpr tensor_list<> list_of() { return {}; }
template <class First, class... Rest>
ROWFOLD_HOST_DEVICE constexpr tensor_list<First, Rest...> list_of(First* first, Rest*... rest) {
  return {first, list_of(rest...)};
}

template <bool AnyDouble>
struct compute_type_of {
  using type = float;
};
template <>
struct compute_type_of<true> {
  using type = double;
};
template <class Inputs>
struct common_compute;
template <class... Elements>
struct common_compute<tensor_list<const Elements...>>
    : compute_type_of<(is_same<accumulate_t<Elements>, double> || ...)> {};

ROWFOLD_HOST_DEVICE constexpr int larger(int a, int b) { return a > b ? a : b; }
ROWFOLD_HOST_DEVICE constexpr int smaller(int a, int b) { return a < b ? a : b; }

}  // namespace detail

// The type in which an op over these inputs computes: double where any of them is double, else float.
template <class Inputs>
using compute_type = typename detail::common_compute<Inputs>::type;

// Elements that are 16 bytes of the widest type among inputs and outputs, so that neighbouring lanes access
// neighbouring bytes of every tensor: two accesses of 16 bytes for one granule would each skip every second 16 bytes.
// But no fewer than 4 bytes of the narrowest type, the smallest access of several elements; 8-bit elements beside
// double are such a case.
template <class Inputs, class Outputs>
inline constexpr int elementwise_granule =
    detail::larger(16 / detail::larger(Inputs::widest_bytes, Outputs::widest_bytes),
                   4 / detail::smaller(Inputs::narrowest_bytes, Outputs::narrowest_bytes));

template <class... Elements>
ROWFOLD_HOST_DEVICE constexpr tensor_list<const Elements...> inputs(const Elements*... data) {
  return detail::list_of(data...);
}

template <class... Elements>
ROWFOLD_HOST_DEVICE constexpr tensor_list<Elements...> outputs(Elements*... data) {
  return detail::list_of(data...);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

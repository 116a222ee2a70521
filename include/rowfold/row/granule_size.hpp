// SPDX-License-Identifier: MIT
// How many columns a thread loads at a time: the one rule of it, for sources in kernels and for problems on the host.
// And how many such granules it keeps as values.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

namespace detail {

// Of an element type that is not there: none.
template <class Element>
inline constexpr int columns_of_16_bytes = 16 / static_cast<int>(sizeof(Element));
template <>
inline constexpr int columns_of_16_bytes<absent> = 0;

template <class... Elements>
ROWFOLD_HOST_DEVICE constexpr int granule_size() {
  int most = 1;
  ((most = columns_of_16_bytes<Elements> > most ? columns_of_16_bytes<Elements> : most), ...);
  return most;
}

}  // namespace detail

// Columns that make 16 bytes of the narrowest of the given element types. A type `absent` among them does not count.
template <class... Elements>
inline constexpr int granule_of = detail::granule_size<Elements...>();

namespace detail {

// Granules up to which a thread that holds them unpacks each once and keeps the values. With more, those registers cost
// more threads than unpacking them again in each pass costs time (bfloat16 LayerNorm on an H200, 4 and 5 granules).
inline constexpr int max_unpacked_vectors = 4;

}  // namespace detail

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

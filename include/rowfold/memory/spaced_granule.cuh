// SPDX-License-Identifier: MIT
// Moving one granule of a row whose columns lie apart, such as the channels of one pixel: N consecutive columns, each
// an access of its own. Any thread may call these alone; they are fast where neighbouring threads have neighbouring
// rows, so that what a warp loads at a time lies together.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/packed.cuh"
#include "rowfold/memory/transposed_vector.cuh"
#include "rowfold/ptx/guarded_access.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// A row in memory: column c at data + c * spacing. It stands where rows of neighbouring columns have a T*.
template <class T>
struct spaced_row {
  T* data;
  long long spacing;  // elements; may be negative or zero
};

inline namespace ROWFOLD_BACKEND {

// The same as load_granule of a T* (memory/granule.cuh). With access `full` and `whole` a granule is complete or does
// not exist; alignment does not matter. Columns that do not exist are zero bits. No policy counts.
template <granule_access Access, load_hint, int N, class T, class... Policy>
ROWFOLD_DEVICE packed<T, N> load_granule(const spaced_row<const T>& row, int cols, int column, bool sure = false,
                                         Policy...) {
  const T* address = row.data + column * row.spacing;
  packed<T, N> values{};
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const bool exists =
        Access == granule_access::full || sure || column + (Access == granule_access::any ? i : 0) < cols;
    put_element(values, i, load_or_zero<static_cast<int>(sizeof(T))>(address, exists));
    address += row.spacing;
  }
  return values;
}

// The same as store_granule of a T*.
template <granule_access Access, store_hint, int N, class T>
ROWFOLD_DEVICE void store_granule(const spaced_row<T>& row, int cols, int column, const packed<T, N>& values) {
  T* address = row.data + column * row.spacing;
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const bool exists = column + (Access == granule_access::any ? i : 0) < cols;  // of no row that does not exist
    store_if<static_cast<int>(sizeof(T))>(address, element_bits(values, i), exists);
    address += row.spacing;
  }
}

// The same for the granules of two rows whose elements lie side by side, in accesses of two elements: that of the row
// given and that of the row one element after it. Addresses and spacing are multiples of an access. Access `full` or
// `whole`.
template <granule_access Access, int N, class T>
ROWFOLD_DEVICE void load_granule_pair(const spaced_row<const T>& row, int cols, int column, packed<T, N>& first,
                                      packed<T, N>& second) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "elements of 2 or 4 bytes are moved in pairs");
  constexpr int bytes = 2 * static_cast<int>(sizeof(T));
  const bool exists = Access == granule_access::full || column < cols;
  const T* address = row.data + column * row.spacing;
  raw_bytes<bytes> both[N];  // all asked for before the first is used
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    both[i] = load_or_zero<bytes>(address, exists);
    address += row.spacing;
  }
  ROWFOLD_UNROLL
  for (int i = 0; i < packed<T, N>::words; ++i) {
    if constexpr (sizeof(T) == 2) {
      first.word[i] = detail::permute_bytes(both[2 * i].word[0], both[2 * i + 1].word[0], detail::low_halves);
      second.word[i] = detail::permute_bytes(both[2 * i].word[0], both[2 * i + 1].word[0], detail::high_halves);
    } else {
      first.word[i] = both[i].word[0];
      second.word[i] = both[i].word[1];
    }
  }
}

template <granule_access, int N, class T>
ROWFOLD_DEVICE void store_granule_pair(const spaced_row<T>& row, int cols, int column, const packed<T, N>& first,
                                       const packed<T, N>& second) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "elements of 2 or 4 bytes are moved in pairs");
  constexpr int bytes = 2 * static_cast<int>(sizeof(T));
  T* address = row.data + column * row.spacing;
  ROWFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    raw_bytes<bytes> both;
    if constexpr (sizeof(T) == 2) {
      both.word[0] = detail::permute_bytes(first.word[i / 2], second.word[i / 2],
                                           i % 2 == 0 ? detail::low_halves : detail::high_halves);
    } else {
      both = {{first.word[i], second.word[i]}};
    }
    store_if<bytes>(address, both, column < cols);
    address += row.spacing;
  }
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

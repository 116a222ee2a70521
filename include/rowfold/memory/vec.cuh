// SPDX-License-Identifier: MIT
// vec: N neighbouring elements of a row held in registers, and how a thread moves them to and from global memory with
// accesses as wide as they get (16 bytes; a larger vec is moved by several). Each thread calls these on its own; the
// pointer must be a multiple of the vec's alignment, which `max_vec_size` finds from pointer, row stride and columns.
//   constexpr int n = 4;                                       // if max_vec_size(x, row_stride, cols) >= 4
//   rowfold::vec<float, n> v = rowfold::load_vec<n>(x + column);
//   v[0] += 1.0f;
//   rowfold::store_vec(y + column, v);
#pragma once

#include "rowfold/numeric/bits.cuh"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/simt/backend.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// The most bytes that one access moves.
inline constexpr int max_access_bytes = 16;

namespace detail {
// An upper limit on both so that a size computed by mistake (a negative one, say) does not fill the registers.
ROWFOLD_HOST_DEVICE constexpr bool is_vec_size(int n) { return n >= 1 && n <= 64 && (n & (n - 1)) == 0; }
ROWFOLD_HOST_DEVICE constexpr int vec_alignment(int element_bytes, int n) {
  if (!is_vec_size(n)) {
    return element_bytes;  // so that the sentence below is the only error
  }
  return element_bytes * n < max_access_bytes ? element_bytes * n : max_access_bytes;
}
}  // namespace detail

// N elements of T. N is a power of two up to 64; the alignment is the vec's size, at most 16 bytes.
template <class T, int N>
struct alignas(detail::vec_alignment(static_cast<int>(sizeof(T)), N)) vec {
  static_assert(detail::is_vec_size(N), "the size of a vec is a power of two from 1 to 64");
  using value_type = T;
  static constexpr int size = N;

  T data[N];

  ROWFOLD_HOST_DEVICE constexpr T& operator[](int i) { return data[i]; }
  ROWFOLD_HOST_DEVICE constexpr const T& operator[](int i) const { return data[i]; }
};

// The vec of N elements at `source`, aligned to the vec's alignment.
//   rowfold::vec<__half, 8> gamma = rowfold::load_vec<8, rowfold::load_hint::read_only>(g + column);
template <int N, load_hint Hint = load_hint::coherent, class T>
ROWFOLD_DEVICE vec<T, N> load_vec(const T* source) {
  constexpr int access_bytes = static_cast<int>(alignof(vec<T, N>));
  constexpr int accesses = static_cast<int>(sizeof(vec<T, N>)) / access_bytes;
  struct parts {
    raw_bytes<access_bytes> part[accesses];
  };
  parts raw;
  ROWFOLD_UNROLL
  for (int i = 0; i < accesses; ++i) {
    raw.part[i] = load_global<access_bytes, Hint>(reinterpret_cast<const raw_bytes<access_bytes>*>(source) + i);
  }
  return bit_copy<vec<T, N>>(raw);
}

// Stores the vec at `target`, aligned to the vec's alignment.
template <store_hint Hint = store_hint::write_back, class T, int N>
ROWFOLD_DEVICE void store_vec(T* target, const vec<T, N>& values) {
  constexpr int access_bytes = static_cast<int>(alignof(vec<T, N>));
  constexpr int accesses = static_cast<int>(sizeof(vec<T, N>)) / access_bytes;
  struct parts {
    raw_bytes<access_bytes> part[accesses];
  };
  const parts raw = bit_copy<parts>(values);
  ROWFOLD_UNROLL
  for (int i = 0; i < accesses; ++i) {
    store_global<access_bytes, Hint>(reinterpret_cast<raw_bytes<access_bytes>*>(target) + i, raw.part[i]);
  }
}

// The largest N, a power of two with N * sizeof(T) <= 16, for which every row of a tensor can be moved in vecs of N
// elements: pointer and row stride keep each row's start aligned, and cols is a multiple of N. `row_stride` is in
// elements (0 where there is one row only). At least 1. Works on the host and on the device.
template <class T>
ROWFOLD_HOST_DEVICE int max_vec_size(const T* pointer, long long row_stride, int cols) {
  using address = decltype(sizeof(0));
  int n = max_access_bytes / static_cast<int>(sizeof(T));
  const bool large = n < 1;  // elements of more than 16 bytes go one by one
  while (n > 1 && (reinterpret_cast<address>(pointer) % (static_cast<address>(n) * sizeof(T)) != 0 ||
                   row_stride % n != 0 || cols % n != 0)) {
    n /= 2;
  }
  return large ? 1 : n;
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

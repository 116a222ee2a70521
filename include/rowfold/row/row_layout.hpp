// SPDX-License-Identifier: MIT
// Where the rows of a tensor start: one stride, or two nested ones, so that heads of a packed projection and sliced
// batches need no copy. Strides count elements of the tensor's own type and may be negative or zero.
#pragma once

#include "rowfold/config.hpp"
#if !defined(__CUDACC_RTC__)
#include <cstdint>
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Row r starts at element (r / inner) * outer_stride + (r % inner) * inner_stride; with inner == 0 there is one stride
// and row r starts at r * inner_stride. The default is rows packed one behind the other.
struct row_layout {
  static constexpr long long packed = -0x7fffffffffffffffll - 1;  // stands for "cols", known when the op is called

  long long inner = 0;
  long long inner_stride = packed;
  long long outer_stride = 0;

  // Rows `stride` elements apart.
  static ROWFOLD_HOST_DEVICE constexpr row_layout strided(long long stride) { return row_layout{0, stride, 0}; }

  // `inner` rows `inner_stride` elements apart, and such groups `outer_stride` elements apart.
  static ROWFOLD_HOST_DEVICE constexpr row_layout nested(long long inner, long long inner_stride,
                                                         long long outer_stride) {
    return row_layout{inner, inner_stride, outer_stride};
  }

  // The same layout with the stride of packed rows written out.
  ROWFOLD_HOST_DEVICE constexpr row_layout resolved(int cols) const {
    return inner_stride == packed ? row_layout{inner, cols, outer_stride} : *this;
  }

  // First element of row `row` of a resolved layout.
  ROWFOLD_HOST_DEVICE constexpr long long offset(long long row) const {
    // One stride is what nearly every tensor has: kernels should not lay out their start around the other case.
    if (__builtin_expect(inner == 0, 1)) return row * inner_stride;
    // Nested layouts nearly always have fewer than 2^32 rows, where a division costs a quarter.
    if (((row | inner) >> 32) == 0) {
      const unsigned outer_index = static_cast<unsigned>(row) / static_cast<unsigned>(inner);
      const unsigned inner_index = static_cast<unsigned>(row) % static_cast<unsigned>(inner);
      return outer_index * outer_stride + inner_index * inner_stride;
    }
    return row / inner * outer_stride + row % inner * inner_stride;
  }

  friend ROWFOLD_HOST_DEVICE constexpr bool operator==(const row_layout& a, const row_layout& b) {
    return a.inner == b.inner && a.inner_stride == b.inner_stride && a.outer_stride == b.outer_stride;
  }
  friend ROWFOLD_HOST_DEVICE constexpr bool operator!=(const row_layout& a, const row_layout& b) { return !(a == b); }
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Where the rows of a tensor start: one stride, or two nested ones, so that heads of a packed projection and sliced
// batches need no copy. Strides count elements of the tensor's own type and may be negative or zero.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/divider.hpp"
#if !defined(__CUDACC_RTC__)
#include <cstdint>
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Row r starts at element (r / inner) * outer_stride + (r % inner) * inner_stride; with inner == 0 there is one stride
// and row r starts at r * inner_stride. The default is rows packed one after the other.
struct row_layout {
  static constexpr long long packed = -0x7fffffffffffffffll - 1;  // stands for "cols", known when the op is called

  static constexpr long long max_rows = 0x7fffffffffffffffll;  // of inner == 1; max_rows / inner of others

  long long inner = 0;  // 0 or more
  long long inner_stride = packed;
  long long outer_stride = 0;
  unsigned long long inverse = 0;  // ceil(2^64 / inner), set by nested() and resolved()

  // Rows `stride` elements apart.
  static ROWFOLD_HOST_DEVICE constexpr row_layout strided(long long stride) { return row_layout{0, stride, 0, 0}; }

  // `inner` rows `inner_stride` elements apart, and such groups `outer_stride` elements apart.
  static ROWFOLD_HOST_DEVICE constexpr row_layout nested(long long inner, long long inner_stride,
                                                         long long outer_stride) {
    if (inner == 1) return strided(outer_stride);
    return row_layout{inner, inner_stride, outer_stride, inner > 1 ? inverse_of(inner) : 0};
  }

  // The same layout with the stride of packed rows written out.
  ROWFOLD_HOST_DEVICE constexpr row_layout resolved(int cols) const {
    const long long stride = inner_stride == packed ? cols : inner_stride;
    return inner == 0 ? strided(stride) : nested(inner, stride, outer_stride);
  }

  // First element of row `row` of a resolved layout, for rows below 2^64 / inner.
  ROWFOLD_HOST_DEVICE constexpr long long offset(long long row) const {
    if (inner == 0) return row * inner_stride;
    const long long outer_index = quotient_by_inverse(row, inverse);
    return outer_index * outer_stride + (row - outer_index * inner) * inner_stride;
  }

  friend ROWFOLD_HOST_DEVICE constexpr bool operator==(const row_layout& a, const row_layout& b) {
    return a.inner == b.inner && a.inner_stride == b.inner_stride && a.outer_stride == b.outer_stride &&
           a.inverse == b.inverse;
  }
  friend ROWFOLD_HOST_DEVICE constexpr bool operator!=(const row_layout& a, const row_layout& b) { return !(a == b); }
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

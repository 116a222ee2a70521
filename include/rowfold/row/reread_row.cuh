// SPDX-License-Identifier: MIT
// A thread's part of one row (row/row_data.cuh), read from memory each time.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/row_data.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A row of any width, read from memory in each pass, Vectors granules at a time, all of them loaded before the first is
// used: for ops that fold a row once and do not store it, and for kernels of one's own, which need no shared memory for
// it.
template <granule_access Access, int Vectors, class Source>
class reread_row {
 public:
  template <class Group>
  static constexpr bool finds_outputs_early = false;

  template <class Group>
  ROWFOLD_DEVICE reread_row(const Source& source, const typename Source::row_type& row, const Group& group,
                            const row_stage& = {})
      : source_(source), row_(row), rank_(group.rank()), lanes_(group.lanes()), segment_(group.segment()) {}

  template <class F>
  ROWFOLD_DEVICE void for_each(F&& f) {
    const int step = lanes_ * Source::granule;
    ROWFOLD_NO_UNROLL
    for (int start = rank_ * Source::granule; start - rank_ * Source::granule < row_.cols; start += Vectors * step) {
      typename Source::inputs packed[Vectors];
      ROWFOLD_UNROLL
      for (int k = 0; k < Vectors; ++k) detail::load_list<Access>(packed[k], source_, row_, start + k * step);
      ROWFOLD_UNROLL
      for (int k = 0; k < Vectors; ++k) {
        const granule_position<Access> position{row_.index, start + k * step, row_.cols, segment_};
        f(detail::unpack_inputs(source_, row_, position, packed[k]), position);
      }
    }
  }

  template <store_hint Hint, class To, class Position, class T, int N>
  ROWFOLD_DEVICE void store(const To& row, const Position& position, const packed<T, N>& values) const {
    constexpr int scale = N / Source::granule;
    store_granule<Access, Hint>(row, position.cols * scale, position.column * scale, values);
  }

 private:
  const Source& source_;
  typename Source::row_type row_;
  int rank_;
  int lanes_;
  lane_segment segment_;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// A thread's part of one row (row/row_data.cuh), in shared memory.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/staging.cuh"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/row_data.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A row of any width in shared memory, brought there once if the stages hold all of it, else part by part in each pass.
// Access `whole` or `any`. A group that folds one row after another in the same stage meets a barrier between the two:
// the copies of the second begin with the object.
template <granule_access Access, class Source>
class staged_row {
 public:
  static constexpr bool needs_stage = true;

  template <class Group>
  static constexpr bool finds_outputs_early = false;

  template <class Group>
  ROWFOLD_DEVICE staged_row(const Source& source, const typename Source::row_type& row, const Group& group,
                            const row_stage& shared)
      : source_(source),
        row_(row),
        rank_(group.rank()),
        lanes_(group.lanes()),
        segment_(group.segment()),
        within_warp_(group.within_warp()),
        shared_(shared) {
    fill(0);
  }

  template <class F>
  ROWFOLD_DEVICE void for_each(F&& f) {
    const int step = lanes_ * Source::granule;
    ROWFOLD_NO_UNROLL
    for (int start = 0; start < shared_.cols; start += shared_.columns) {
      bring(start);
      const int left = shared_.cols - start;
      const int end = left < shared_.columns ? left : shared_.columns;
      ROWFOLD_NO_UNROLL
      for (int first = 0; first < end; first += step) {
        const int column = first + rank_ * Source::granule;
        typename Source::inputs granule{};
        if (column < end) {
          detail::read_list<Access>(granule, shared_.stage, source_, row_, start, column, shared_.columns);
        }
        const granule_position<Access> position{row_.index, start + column, row_.cols, segment_};
        f(detail::unpack_inputs(source_, row_, position, granule), position);
      }
    }
  }

  template <store_hint Hint, class T, class Position, int N>
  ROWFOLD_DEVICE void store(T* row, const Position& position, const packed<T, N>& values) const {
    constexpr int scale = N / Source::granule;
    if constexpr (Access == granule_access::any) {
      store_through_tile<Hint>(shared_.tile, row, position.cols * scale, position.column * scale, values, segment_);
    } else {
      store_granule<Access, Hint>(row, position.cols * scale, position.column * scale, values);
    }
  }

 private:
  ROWFOLD_DEVICE void fill(int start) {
    const int left = row_.cols - start;
    const int count = left < 0 ? 0 : left < shared_.columns ? left : shared_.columns;
    detail::fill_stages<Access, typename Source::inputs>(shared_.stage, source_, row_, start, count, shared_.columns,
                                                         rank_, lanes_);
    ptx::commit_copies();
    start_ = start;
    arrived_ = false;
  }

  ROWFOLD_DEVICE void bring(int start) {
    if (start != start_) {
      sync_group();  // orders the reads of what the stages hold before the copies that replace it
      fill(start);
    }
    if (!arrived_) {
      ptx::wait_copies<0>();
      sync_group();  // orders every lane's copies before the reads of them by all lanes
      arrived_ = true;
    }
  }

  ROWFOLD_DEVICE void sync_group() const {
    if (within_warp_) {
      simt::sync_warp();
    } else {
      simt::sync_block();
    }
  }

  const Source& source_;
  typename Source::row_type row_;
  int rank_;
  int lanes_;
  lane_segment segment_;
  bool within_warp_;
  row_stage shared_;
  int start_ = 0;  // the first column that the stages hold
  bool arrived_ = false;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

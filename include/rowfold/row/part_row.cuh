// SPDX-License-Identifier: MIT
// A part of one row, for ops that fold nothing: then a row needs no group that holds all of it, and rows of any width
// are read and written by warps that each do a few granules a lane and end. row/row_data.cuh says what for_each and
// store do and who calls them.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/ptx/l2_policy.cuh"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/row_data.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Vectors granules of each lane, as far as they exist, from column `part.first` of the row on; all of them are loaded
// before the first is used.
template <int Vectors, class Source>
class part_row {
 public:
  static constexpr bool needs_stage = true;  // its `first`
  static constexpr int vectors = Vectors;

  template <class Group>
  static constexpr bool finds_outputs_early = true;  // as held_row

  template <class Group>
  ROWFOLD_DEVICE part_row(const Source& source, const typename Source::row_type& row, const Group& group,
                          const row_stage& part)
      : source_(source),
        row_(row),
        column_(part.first + group.rank() * Source::granule),
        step_(group.lanes() * Source::granule),
        segment_(group.segment()) {
    const l2_policy policy = make_l2_policy(part.priority);
    ROWFOLD_UNROLL
    for (int k = 0; k < Vectors; ++k)
      detail::load_list<granule_access::whole>(packed_[k], source_, row_, column_ + k * step_, false, policy);
  }

  template <class F>
  ROWFOLD_DEVICE void for_each(F&& f) const {
    ROWFOLD_UNROLL
    for (int k = 0; k < Vectors; ++k) {
      const granule_position<granule_access::whole> position{row_.index, column_ + k * step_, row_.cols, segment_};
      f(detail::unpack_inputs(source_, row_, position, packed_[k]), position);
    }
  }

  template <store_hint Hint, class T, class Position, int N>
  ROWFOLD_DEVICE void store(T* row, const Position& position, const packed<T, N>& values) const {
    constexpr int scale = N / Source::granule;
    store_granule<granule_access::whole, Hint>(row, position.cols * scale, position.column * scale, values);
  }

 private:
  const Source& source_;
  typename Source::row_type row_;
  int column_;
  int step_;
  lane_segment segment_;
  typename Source::inputs packed_[Vectors];
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

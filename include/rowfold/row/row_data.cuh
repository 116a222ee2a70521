// SPDX-License-Identifier: MIT
// A thread's part of one row, as stages and maps walk over it: kept packed in registers, staged in shared memory, or read
// again from memory each time.
//
// All kinds have for_each(f), which calls f(values, position) for the thread's granules in increasing column, in the same
// order and with the same values; every lane of a group makes the same number of calls, also for granules behind the end
// of the row, so that f may use warp operations. All have store<Hint>(row, position, granule), which stores what f made
// of a granule; all lanes of the warp call it together. (Lanes of a reread_row whose groups' rows differ in width do not, so
// there a sink must not use warp operations.)
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/staging.cuh"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/row_group.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Where a granule lies in its row. ParameterHint: how parameters are loaded there. Coherent loads stay behind the stores of
// the granule before, read-only ones may all be asked for at once, which takes registers.
// Index: which of the thread's granules it is, where a row keeps parameters for each.
template <granule_access Access, load_hint ParameterHint = load_hint::coherent, int Index = 0>
struct granule_position {
  static constexpr granule_access access = Access;
  static constexpr load_hint parameter_hint = ParameterHint;
  static constexpr int index = Index;
  long long row;
  int column;            // the first of the granule
  int cols;              // of the row; 0 if the group has no row
  lane_segment segment;  // the calling lane among those of its warp that hold the neighbouring granules

  // Calls f(i) for each of the granule's N columns that exists, in order.
  template <int N, class F>
  ROWFOLD_DEVICE void for_each_column(F&& f) const {
    const int valid = cols - column;
    if (Access == granule_access::full || valid >= N) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) f(i);
    } else if (Access == granule_access::any && valid > 0) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) {
        if (i < valid) f(i);
      }
    }
  }
};

// What a kernel has of shared memory for one row: the group's stages and the warp's tile for results.
struct row_stage {
  unsigned char* stage;
  unsigned char* tile;
  int columns;    // that the stages hold: all of the row, or a multiple of what the group's lanes fold at a time
  int cols;       // of the row, also for a group that has none: all lanes of a warp go through the same steps
  int first = 0;  // the first column of the group's part of the row, where it has but a part (part_row)
};

namespace detail {

// Vectors up to which a thread unpacks its granules once and keeps the values. With more, those registers cost more
// threads than unpacking them again in each pass costs time (bfloat16 LayerNorm on an H200, 4 and 5 vectors).
inline constexpr int max_unpacked_vectors = 4;

}  // namespace detail

// When a lane that holds its granules asks for the parameters of the map.
//   in_turn : those of a granule as it is mapped, behind the stores of the one before: takes the fewest registers
//   at_once : all behind the folds
//   early   : all before the folds, where they arrive beside the row (row/early_map.cuh)
enum class parameter_loads { in_turn, at_once, early };

// A row of at most Vectors granules per lane, read once, each in as many registers as it has words. Access `full`: every
// lane has Vectors granules; `whole`: the last Spare ones of a lane may be missing.
template <granule_access Access, int Vectors, class Source, int Spare = 1,
          parameter_loads Parameters = parameter_loads::in_turn>
class held_row {
 public:
  static constexpr bool fetches_early = Parameters == parameter_loads::early;
  static constexpr int vectors = Vectors;
  static constexpr int granule = Source::granule;

  // The outputs' addresses are found between the loads and their first use, which keeps the compiler from using what has
  // arrived before it has asked for all (bfloat16, 640 columns on an H200: 0.93 of a copy, else 0.76). Kernels of a block ask
  // for all anyway, and find the addresses late, since they have no registers to hold them (5120 columns: 0.97 and 0.96).
  template <class Group>
  static constexpr bool finds_outputs_early = Group::kind != group_kind::block&& Vectors > 2;

  template <class Group>
  ROWFOLD_DEVICE held_row(const Source& source, const typename Source::row_type& row, const Group& group,
                          const row_stage& = {})
      : held_row(source, row, group, no_map{}, 0) {}

  // The same, which asks for the parameters of an early_map, too.
  template <class Group, class EarlyMap>
  ROWFOLD_DEVICE held_row(const Source& source, const typename Source::row_type& row, const Group& group, EarlyMap& map)
      : held_row(source, row, group, map, 0) {}

  template <int K = 0, class F>
  ROWFOLD_DEVICE void for_each(F&& f) {
    if constexpr (Vectors > detail::max_unpacked_vectors) packed_[K] = detail::hidden_list(packed_[K]);
    f(detail::unpack_list(source_, row_, position<K>(), packed_[K]), position<K>());
    if constexpr (K + 1 < Vectors) for_each<K + 1>(f);
  }

  template <store_hint Hint, class To, class Position, class T, int N>
  ROWFOLD_DEVICE void store(const To& row, const Position& position, const packed<T, N>& values) const {
    constexpr int scale = N / Source::granule;
    store_granule<Position::access, Hint>(row, position.cols * scale, position.column * scale, values);
  }

 private:
  template <int K>
  static constexpr granule_access access_of =
      Access == granule_access::whole&& K + Spare < Vectors ? granule_access::full : Access;
  static constexpr load_hint parameter_hint =
      Parameters == parameter_loads::in_turn ? load_hint::coherent : load_hint::read_only;

  template <int K>
  ROWFOLD_DEVICE granule_position<access_of<K>, parameter_hint, fetches_early ? K : 0> position() const {
    return {row_.index, column_ + K * step_, row_.cols, segment_};
  }

  struct no_map {};

  template <class Group, class EarlyMap>
  ROWFOLD_DEVICE held_row(const Source& source, const typename Source::row_type& row, const Group& group,
                          EarlyMap&& map, int)
      : source_(source),
        row_(row),
        column_(group.rank() * Source::granule),
        step_(group.lanes() * Source::granule),
        segment_(group.segment()) {
    constexpr bool row_exists = Group::kind == group_kind::block;
    if constexpr (detail::kept_granules<Source>::are_inputs) {
      load<row_exists, 0>(packed_);
      if constexpr (fetches_early) fetch<0>(map);
    } else {
      typename Source::inputs inputs[Vectors];
      load<row_exists, 0>(inputs);
      if constexpr (fetches_early) fetch<0>(map);
      keep<0>(inputs);
    }
  }

  template <int K, class EarlyMap>
  ROWFOLD_DEVICE void fetch(EarlyMap& map) const {
    map.fetch(position<K>());
    if constexpr (K + 1 < Vectors) fetch<K + 1>(map);
  }

  // RowExists promises that the group has a row: then full granules need no question.
  template <bool RowExists, int K>
  ROWFOLD_DEVICE void load(typename Source::inputs (&inputs)[Vectors]) {
    constexpr granule_access access = RowExists || Access == granule_access::any ? access_of<K> : granule_access::whole;
    detail::load_list<access>(inputs[K], source_, row_, column_ + K * step_);
    if constexpr (K + 1 < Vectors) load<RowExists, K + 1>(inputs);
  }

  template <int K>
  ROWFOLD_DEVICE void keep(const typename Source::inputs (&inputs)[Vectors]) {
    packed_[K] = detail::keep_list(source_, row_, position<K>(), inputs[K]);
    if constexpr (K + 1 < Vectors) keep<K + 1>(inputs);
  }

  const Source& source_;
  typename Source::row_type row_;
  int column_;
  int step_;
  lane_segment segment_;
  detail::kept_t<Source> packed_[Vectors];
};

// A row of any width in shared memory, brought there once if the stages hold all of it, else part by part in each pass.
// Access `whole` or `any`.
template <granule_access Access, int, class Source>
class staged_row {
 public:
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

// A row of any width, read from memory in each pass, Vectors granules at a time, all of them loaded before the first is
// used: for ops that fold a row once and do not store it, and for kernels of one's own, which need no shared memory for it.
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

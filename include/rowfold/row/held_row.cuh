// SPDX-License-Identifier: MIT
// A thread's part of one row (row/row_data.cuh), packed in registers.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/ptx/l2_policy.cuh"
#include "rowfold/row/granule_list.cuh"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/row_data.cuh"
#include "rowfold/row/row_group.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// When a lane that holds its granules asks for the parameters of the map.
//   in_turn : those of a granule as it is mapped, after the stores of the one before: takes the fewest registers
//   at_once : all after the folds
//   early   : all before the folds, where they arrive beside the row (row/early_map.cuh)
enum class parameter_loads { in_turn, at_once, early };

// A row of at most Vectors granules per lane, read once, each in as many registers as it has words. Access `full`:
// every lane has Vectors granules; `whole`: they are complete and aligned, and the last Spare ones of a lane may be
// missing; `any`: a row of any address and width up to what the lanes hold.
template <granule_access Access, int Vectors, class Source, int Spare = 1,
          parameter_loads Parameters = parameter_loads::in_turn>
class held_row {
 public:
  static constexpr bool fetches_early = Parameters == parameter_loads::early;
  static constexpr int vectors = Vectors;
  static constexpr int granule = Source::granule;
  static constexpr bool unpacks_once = Vectors <= detail::max_unpacked_vectors;

  // The outputs' addresses are found between the loads and their first use, which keeps the compiler from using what
  // has arrived before it has asked for all (bfloat16, 640 columns on an H200: 0.93 of a copy, else 0.76). Kernels of a
  // block ask for all anyway, and find the addresses late, since they have no registers to hold them (5120 columns:
  // 0.97 and 0.96).
  template <class Group>
  static constexpr bool finds_outputs_early = Group::kind != group_kind::block&& Vectors > 2;

  template <class Group>
  ROWFOLD_DEVICE held_row(const Source& source, const typename Source::row_type& row, const Group& group,
                          const row_stage& stage = {})
      : held_row(source, row, group, no_map{}, stage, loading{}) {}

  // The same, which asks for the parameters of an early_map, too.
  template <class Group, class EarlyMap>
  ROWFOLD_DEVICE held_row(const Source& source, const typename Source::row_type& row, const Group& group, EarlyMap& map,
                          const row_stage& stage)
      : held_row(source, row, group, map, stage, loading{}) {}

  // A recursion and no unrolled loop, which made a kernel of two granules spill, and one that keeps its results.
  template <bool Anew = !unpacks_once, int K = 0, class F>
  ROWFOLD_DEVICE void for_each(F&& f) {
    if constexpr (Anew) packed_[K] = detail::hidden_list(packed_[K]);
    f(detail::unpack_list(source_, row_, position(K), packed_[K]), position(K));
    if constexpr (K + 1 < Vectors) for_each<Anew, K + 1>(f);
  }

  template <store_hint Hint, class To, class Position, class T, int N>
  ROWFOLD_DEVICE void store(const To& row, const Position& position, const packed<T, N>& values) const {
    constexpr int scale = N / Source::granule;
    store_granule<Position::access, Hint>(row, position.cols * scale, position.column * scale, values);
  }

 private:
  static constexpr load_hint parameter_hint =
      Parameters == parameter_loads::in_turn ? load_hint::coherent : load_hint::read_only;

  ROWFOLD_DEVICE granule_position<Access, parameter_hint> position(int k) const {
    return {row_.index, column_ + k * step_, row_.cols, segment_, k, is_sure(k), k == 0};
  }
  // Whether every lane of a group with a row has its granule k.
  ROWFOLD_DEVICE static constexpr bool is_sure(int k) { return Access == granule_access::whole && k + Spare < Vectors; }

  struct no_map {};
  struct loading {};  // tells the constructor below from those above

  template <class Group, class EarlyMap>
  ROWFOLD_DEVICE held_row(const Source& source, const typename Source::row_type& row, const Group& group,
                          EarlyMap&& map, const row_stage& stage, loading)
      : source_(source),
        row_(row),
        column_(group.rank() * Source::granule),
        step_(group.lanes() * Source::granule),
        segment_(group.segment()) {
    constexpr bool row_exists = Group::kind == group_kind::block;
    const l2_policy policy = make_l2_policy(stage.priority);
    if constexpr (detail::kept_granules<Source>::are_inputs) {
      load<row_exists>(packed_, policy);
      if constexpr (fetches_early) fetch(map);
    } else {
      typename Source::inputs inputs[Vectors];
      load<row_exists>(inputs, policy);
      if constexpr (fetches_early) fetch(map);
      keep(inputs);
    }
  }

  template <class EarlyMap>
  ROWFOLD_DEVICE void fetch(EarlyMap& map) const {
    ROWFOLD_UNROLL
    for (int k = 0; k < Vectors; ++k) map.fetch(position(k));
  }

  // RowExists promises that the group has a row: then granules that are sure need no question.
  template <bool RowExists>
  ROWFOLD_DEVICE void load(typename Source::inputs (&inputs)[Vectors], l2_policy policy) {
    constexpr granule_access access = RowExists || Access == granule_access::any ? Access : granule_access::whole;
    ROWFOLD_UNROLL
    for (int k = 0; k < Vectors; ++k) {
      detail::load_list<access>(inputs[k], source_, row_, column_ + k * step_, RowExists && is_sure(k), policy);
    }
  }

  ROWFOLD_DEVICE void keep(const typename Source::inputs (&inputs)[Vectors]) {
    ROWFOLD_UNROLL
    for (int k = 0; k < Vectors; ++k) packed_[k] = detail::keep_list(source_, row_, position(k), inputs[k]);
  }

  const Source& source_;
  typename Source::row_type row_;
  int column_;
  int step_;
  lane_segment segment_;
  detail::kept_t<Source> packed_[Vectors];
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

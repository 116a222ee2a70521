// SPDX-License-Identifier: MIT
// The group of a row whose neighbours are rows next to it in memory: neighbouring threads have neighbouring rows, and
// the lanes of one row lie in different warps. Thread t of a block is lane t / slots in slot t % slots; slots are
// neighbouring rows, or pairs of them (row/row_pair.cuh).
//
// Lanes merge through shared memory in the tree of the other groups (row/row_group.cuh), neighbours first, so the bits
// are the same.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/row_group.cuh"
#include "rowfold/simt/simt.cuh"
#include "rowfold/warp/exchange.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// A group as one of its threads sees it. `storage`: shared memory of storage_bytes for each thread of the block; it
// takes turns through one object, which a kernel therefore keeps for all its rows.
template <int Lanes>
class row_group<group_kind::across_warps, Lanes> {
 public:
  static constexpr group_kind kind = group_kind::across_warps;
  // Two states, used in turn, as row_group_storage has.
  static constexpr int storage_bytes = 2 * row_group_storage::max_state_bytes;

  // The group of the calling thread in a block of `lanes` times 2^slots_log2 threads.
  ROWFOLD_DEVICE row_group(int lanes, int slots_log2, unsigned char* storage)
      : lanes_(lanes),
        slots_log2_(slots_log2),
        rank_(static_cast<int>(simt::thread_rank()) >> slots_log2),
        slot_(static_cast<int>(simt::thread_rank()) & ((1 << slots_log2) - 1)),
        storage_(storage) {}

  ROWFOLD_DEVICE int lanes() const { return Lanes != 0 ? Lanes : lanes_; }
  ROWFOLD_DEVICE int rank() const { return rank_; }
  ROWFOLD_DEVICE bool within_warp() const { return false; }

  // Which of the block's groups it is.
  ROWFOLD_DEVICE int slot() const { return slot_; }

  // No other lane of the calling thread's warp holds a neighbouring granule.
  ROWFOLD_DEVICE lane_segment segment() const { return {0, 1}; }

  // Folds one value of each lane; every lane gets the result, bit for bit the same. All threads of the block must call
  // it together. State: trivially copyable, at most 16 bytes.
  template <class State, class Op>
  ROWFOLD_DEVICE State all_reduce(const State& value, Op op) {
    static_assert(sizeof(State) <= row_group_storage::max_state_bytes, "a fold's state has at most 16 bytes");
    State merged = value;
    ROWFOLD_NO_UNROLL
    for (int run_log2 = 0; 1 << run_log2 < lanes(); run_log2 += fan_in_log2) merged = merge(merged, op, run_log2);
    return merged;
  }

  // As in the other groups: nothing to do, since lanes have met a barrier in all_reduce, and a single lane meets itself
  // alone.
  ROWFOLD_DEVICE void order_memory() const {}

 private:
  // Runs that a thread merges between two barriers: few enough for its registers, and 64 lanes need two barriers.
  static constexpr int fan_in_log2 = 3;
  static constexpr int fan_in = 1 << fan_in_log2;

  // Lanes come in runs of 2^run_log2, each lane with the value of its run (the last run may be shorter). Merges fan_in
  // neighbouring runs each.
  template <class State, class Op>
  ROWFOLD_DEVICE State merge(const State& value, const Op& op, int run_log2) {
    turn_ ^= 1;
    const unsigned half = simt::block_threads() * row_group_storage::max_state_bytes;
    State* const states = reinterpret_cast<State*>(storage_ + (turn_ == 0 ? 0u : half)) + slot_;
    const int run = rank_ >> run_log2;
    if (run << run_log2 == rank_) states[run << slots_log2_] = value;
    // Orders each run's state above before the reads of it below. The other half of the storage is written next: this
    // barrier also orders its reads, by merge before this one, before that.
    simt::sync_block();
    const int first = run & -fan_in;
    const int count = ((lanes() - 1) >> run_log2) + 1 - first;
    State values[fan_in];
    ROWFOLD_UNROLL
    for (int i = 0; i < fan_in; ++i) values[i] = i < count ? states[(first + i) << slots_log2_] : value;
    ROWFOLD_UNROLL
    for (int distance = 1; distance < fan_in; distance *= 2) {
      ROWFOLD_UNROLL
      for (int i = 0; i < fan_in; i += 2 * distance) {
        if (i + distance < count) values[i] = detail::apply(op, values[i], values[i + distance]);
      }
    }
    return values[0];
  }

  int lanes_;
  int slots_log2_;
  int rank_;
  int slot_;
  int turn_ = 0;
  unsigned char* storage_;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

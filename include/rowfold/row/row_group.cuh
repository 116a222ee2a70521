// SPDX-License-Identifier: MIT
// The threads that share one row, and how they combine their parts of it.
//
// A group is 1, 2, 4, 8, 16 or 32 lanes of a warp (then a block holds several groups), or all threads of a block whose
// size is a multiple of 32; for rows whose columns lie apart there is a third kind (row/across_warps.cuh). Lane `rank`
// of `lanes` owns the granules rank, rank + lanes, rank + 2 * lanes, ... of the row. Values merge in one fixed tree,
// adjacent lanes first, so the bits depend on `lanes` alone.
#pragma once

#include "rowfold/block/block_reduce.cuh"
#include "rowfold/config.hpp"
#include "rowfold/memory/staging.cuh"
#include "rowfold/simt/simt.cuh"
#include "rowfold/warp/warp_reduce.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Shared memory that folds over a whole block need: two storages, used in turn, so that the barrier of one fold also
// separates the reads of the fold before it from the writes of the fold after it.
struct row_group_storage {
  static constexpr int max_state_bytes = 16;
  struct alignas(16) slot {
    unsigned char bytes[32 * max_state_bytes];
  };
  slot slots[2];
};

// What is known of a group at compile time. The results are the same.
enum class group_kind {
  warp,          // lanes of one warp
  block,         // a whole block of 2, 3, 4, 5, 6, 8, 9, 10, 12 or 16 warps
  either,        // one of these two
  across_warps,  // lanes in different warps, neighbouring threads on neighbouring rows: row/across_warps.cuh
};

// A group as one of its threads sees it. `storage` may be null for groups within a warp; it takes turns through one
// object, which a kernel therefore keeps for all its rows. Lanes: its size where that is known at compile time, else 0.
template <group_kind Kind = group_kind::either, int Lanes = 0>
class row_group {
 public:
  static constexpr group_kind kind = Kind;

  // The group of the calling thread, where groups of `lanes` threads follow one another in a block.
  ROWFOLD_DEVICE row_group(int lanes, row_group_storage* storage) : lanes_(lanes), storage_(storage) {}

  ROWFOLD_DEVICE int lanes() const { return Lanes != 0 ? Lanes : lanes_; }

  // Which lane of the group the calling thread is.
  ROWFOLD_DEVICE int rank() const {
    const int thread = static_cast<int>(simt::thread_rank());
    return within_warp() ? thread & (lanes() - 1) : thread;
  }

  // Whether the group lies within a warp; else it is the whole block.
  ROWFOLD_DEVICE bool within_warp() const {
    return Kind == group_kind::warp || (Kind == group_kind::either && lanes() <= 32);
  }

  // The group's lanes within the calling thread's warp.
  ROWFOLD_DEVICE lane_segment segment() const {
    return within_warp() ? lane_segment{rank(), lanes()} : lane_segment{static_cast<int>(simt::lane()), 32};
  }

  // Folds one value of each lane; every lane gets the result, bit for bit the same. All threads of the warp (groups
  // within a warp) or of the block must call it together. State: trivially copyable, at most 16 bytes.
  template <class State, class Op>
  ROWFOLD_DEVICE State all_reduce(const State& value, Op op) {
    static_assert(sizeof(State) <= row_group_storage::max_state_bytes, "a fold's state has at most 16 bytes");
    if constexpr (Kind == group_kind::either) {
      return detail::group_all_reduce_compact(value, op, within_warp() ? nullptr : next_partials<State>(), lanes());
    } else if constexpr (Kind == group_kind::warp) {
      return warp_all_reduce_runtime(value, op, lanes());
    } else {
      return detail::block_all_reduce_warps(value, op, next_partials<State>(), lanes() / 32);
    }
  }

  // After an all_reduce: orders what all lanes have loaded before it before what any of them stores after this call,
  // as rows that are overwritten in place need. Groups of a whole block have met a barrier in all_reduce; shuffles
  // order nothing. All threads of the warp call it together.
  ROWFOLD_DEVICE void order_memory() const {
    if (within_warp()) simt::sync_warp();
  }

 private:
  // Shared memory for the partial results of the next fold.
  template <class State>
  ROWFOLD_DEVICE State* next_partials() {
    turn_ ^= 1;
    return reinterpret_cast<State*>(storage_->slots[turn_].bytes);
  }

  int lanes_;
  int turn_ = 0;
  row_group_storage* storage_;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

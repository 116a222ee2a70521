// SPDX-License-Identifier: MIT
// Reductions over the threads of a block of any size from 1 to 1024, a multiple of 32 or not. Every thread of the block
// must call, with the same storage. Each warp reduces its own threads, its lane 0 writes the partial result to shared
// memory, ONE barrier, and every thread reads and merges the partial results: no identity, no second barrier.
//
// The merge tree is the one of warp_reduce.cuh continued over the warps (neighbours first), so that a block of 2^k
// threads merges exactly like a logical warp of 2^k lanes would. Every thread of all_reduce returns the same bits.
//
// Reuse rule: storage may be used again only after a barrier that follows the call, since a slow thread may still read
// the partial results. A loop of reductions alternates two storages instead: the barrier of the next call stands
// between the reads of this one and the writes of the one after it.
//   struct layout { block_storage<float, 8> sums[2]; };
//   auto& storage = simt::shared<layout>();
//   float mean = rowfold::block_all_reduce(x, rowfold::sum{}, storage.sums[0]) / n;
//   float square = rowfold::block_all_reduce((x - mean) * (x - mean), rowfold::sum{}, storage.sums[1]);
#pragma once

#include "rowfold/simt/block.cuh"
#include "rowfold/simt/site.hpp"
#include "rowfold/simt/thread.cuh"
#include "rowfold/warp/warp_reduce.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Warps of a block, the last one counted also where it is not full.
ROWFOLD_HOST_DEVICE constexpr int warps_of(int threads) { return (threads + 31) / 32; }

// Shared memory of one block reduction: a partial result per warp. It lives in the block's shared memory, never in a
// thread. Blocks of up to 32 * Warps threads can use it.
template <class T, int Warps = 32>
struct block_storage {
  static_assert(Warps >= 1 && Warps <= 32, "a block has 1 to 32 warps");
  T partials[Warps];
};

namespace detail {

// The lanes that the calling thread's warp has, in a block of `threads` threads: all 32, or fewer in the last warp.
ROWFOLD_DEVICE int lanes_of_warp(int threads) {
  const int remaining = threads - static_cast<int>(simt::warp_rank()) * 32;
  return remaining < 32 ? remaining : 32;
}

// Puts what lane 0 of each warp has into partials, of those warps that have something. All threads of the block call
// it.
template <class T>
ROWFOLD_DEVICE void share_partial(const T& partial, T* partials, bool has_something, simt::site where) {
  if (simt::lane() == 0 && has_something) partials[simt::warp_rank()] = partial;
  // Orders every warp's partial result above before the reads of all threads below.
  simt::sync_block(where);
}

// Reduces the values of the first `valid` threads warp by warp into partials[0 .. warps_of(valid) - 1].
template <class T, class Op>
ROWFOLD_DEVICE void write_partials(const T& value, const Op& op, T* partials, int threads, int valid,
                                   simt::site where) {
  T partial = value;
  if (threads % 32 == 0 && valid == threads) {
    partial = warp_reduce(value, op, lane_mask{}, where);
  } else {
    const int lanes = lanes_of_warp(threads);
    const int valid_here = lanes_of_warp(valid);  // may be 0 or negative: a warp beyond the valid threads
    const lane_mask mask{lanes == 32 ? simt::full_mask : (1u << lanes) - 1u};
    partial = warp_reduce(value, op, valid_lanes{valid_here}, mask, where);
  }
  share_partial(partial, partials, static_cast<int>(simt::warp_rank()) < warps_of(valid), where);
}

// Merges partials[0 .. count - 1] in the order of the merge tree, every lane of the warp taking part and every lane
// getting the result. All 32 lanes call, with a count from 1 to 32. A butterfly in which a missing right neighbour is
// left out, so that count need not be a power of two. Unroll: how many of its five steps are written out.
template <int Unroll = 5, class T, class Op>
ROWFOLD_DEVICE T merge_by_lanes(const T* partials, int count, const Op& op, simt::site where) {
  int width = 1;
  while (width < count) {
    width *= 2;
  }
  const int position = static_cast<int>(simt::lane()) & (width - 1);
  T value = partials[position < count ? position : 0];
  ROWFOLD_UNROLL_BY_PARAMETER
  for (int distance = 1; distance < 32; distance *= 2) {
    if (distance < width) {  // the same in all lanes
      const T other = exchange_xor(value, static_cast<unsigned>(distance), lane_mask{}, where);
      const bool mine_is_later = (position & distance) != 0;
      const int later_start = (position & -distance) | distance;  // where the later one of the two runs begins
      value =
          later_start < count ? merge_with_partner(op, value, other, mine_is_later) : (mine_is_later ? other : value);
    }
  }
  return value;
}

// The same, each thread on its own: for blocks whose last warp has too few lanes. waiting[level] is a merged run of
// 2^level partial results whose right neighbour is not complete yet, as in a binary counter.
template <class T, class Op>
ROWFOLD_DEVICE T merge_alone(const T* partials, int count, const Op& op) {
  constexpr int levels = 6;  // runs of 1, 2, 4, ... 32
  T waiting[levels] = {partials[0], partials[0], partials[0], partials[0], partials[0], partials[0]};
  for (int i = 0; i < count; ++i) {
    T run = partials[i];
    bool moving = true;
    ROWFOLD_UNROLL
    for (int level = 0; level < levels; ++level) {  // unrolled, so that waiting[] stays in registers
      const bool occupied = ((i >> level) & 1) != 0;
      if (moving && occupied) {
        run = apply(op, waiting[level], run);
      } else if (moving) {
        waiting[level] = run;
        moving = false;
      }
    }
  }
  T result = partials[0];
  bool started = false;
  ROWFOLD_UNROLL
  for (int level = 0; level < levels; ++level) {
    if (((count >> level) & 1) != 0) {
      result = started ? apply(op, waiting[level], result) : waiting[level];
      started = true;
    }
  }
  return result;
}

// Merges partials[0 .. Count - 1], Count a power of two, in the order of the merge tree.
template <int Count, class T, class Op>
ROWFOLD_DEVICE T merge_run(const T* partials, const Op& op) {
  if constexpr (Count == 1) {
    return partials[0];
  } else {
    return apply(op, merge_run<Count / 2>(partials, op), merge_run<Count / 2>(partials + Count / 2, op));
  }
}

// The same for a count known at run time only, equal in all lanes: 2 to 16, a power of two or the sum of two different
// ones. Values of one or two words are read and merged by each thread alone, 16 bytes with one load that all lanes
// share, and nothing is exchanged.
template <class T, class Op>
ROWFOLD_DEVICE T merge_warps(const T* partials, int count, const Op& op, simt::site where) {
  if constexpr (sizeof(T) <= 8) {
    const int low = count & -count;
    const int high = low == count ? count : count - low;
    T merged = high == 2   ? merge_run<2>(partials, op)
               : high == 4 ? merge_run<4>(partials, op)
               : high == 8 ? merge_run<8>(partials, op)
                           : merge_run<16>(partials, op);
    if (low != count) {
      const T* const rest = partials + high;
      const T behind = low == 1 ? rest[0] : low == 2 ? merge_run<2>(rest, op) : merge_run<4>(rest, op);
      merged = apply(op, merged, behind);
    }
    return merged;
  } else {
    return merge_by_lanes(partials, count, op, where);
  }
}

// block_all_reduce in fewer instructions, for a block of whole warps, of which there are 2, 3, 4, 5, 6, 8, 9, 10, 12 or
// 16. Every thread of the block calls and gets the result, the same bits in each.
template <class T, class Op>
ROWFOLD_DEVICE T block_all_reduce_warps(T value, Op op, T* partials, int warps, simt::site where = simt::site::here()) {
  share_partial(warp_reduce(value, op, lane_mask{}, where), partials, true, where);
  return merge_warps(partials, warps, op, where);
}

// The same in little code, for kernels that are compiled for every op and seldom run: for a block of any number of
// whole warps or, where `threads` is a power of two up to 32, for the groups of as many lanes that reduce alone,
// without `partials` and without a barrier. Every thread of the block, or of the warp, calls and gets its group's
// result.
template <class T, class Op>
ROWFOLD_DEVICE T group_all_reduce_compact(T value, Op op, T* partials, int threads,
                                          simt::site where = simt::site::here()) {
  const T partial = warp_all_reduce_runtime<1>(value, op, threads < 32 ? threads : 32, lane_mask{}, where);
  if (threads <= 32) return partial;
  share_partial(partial, partials, true, where);
  return merge_by_lanes<1>(partials, threads / 32, op, where);
}

// Merges the partial results of the first `count` warps of a block of `threads` threads; every thread gets the result.
template <class T, class Op>
ROWFOLD_DEVICE T merge_partials(const T* partials, int threads, int count, const Op& op, simt::site where) {
  return threads % 32 == 0 ? merge_by_lanes(partials, count, op, where) : merge_alone(partials, count, op);
}

}  // namespace detail

// The reduction of `value` over the block, in every thread, for a block whose size is known at run time only: `threads`
// is the size of the block, `partials` shared memory for one value per warp. FullWarps promises that the size is a
// multiple of 32, which makes the code smaller. One barrier. See the reuse rule above.
template <bool FullWarps = false, class T, class Op>
ROWFOLD_DEVICE T block_all_reduce(T value, Op op, T* partials, int threads, simt::site where = simt::site::here()) {
  if constexpr (FullWarps) {
    threads &= ~31;  // changes nothing, and tells the compiler
  }
  detail::write_partials(value, op, partials, threads, threads, where);
  return detail::merge_partials(partials, threads, warps_of(threads), op, where);
}

template <bool FullWarps = false, class T, int Warps, class Op>
ROWFOLD_DEVICE T block_all_reduce(T value, Op op, block_storage<T, Warps>& storage, int threads,
                                  simt::site where = simt::site::here()) {
  return block_all_reduce<FullWarps>(value, op, storage.partials, threads, where);
}

// The reductions of a block of BlockThreads threads. T: any trivially copyable type; a vec<T, N> is N independent
// values.
//   using reduction = rowfold::block_reduce<float, 180>;
//   auto& storage = rowfold::simt::shared<reduction::TempStorage>();
//   float total = reduction(storage).all_reduce(x, rowfold::sum{});
template <class T, int BlockThreads>
class block_reduce {
  static_assert(BlockThreads >= 1 && BlockThreads <= 1024, "a block has 1 to 1024 threads");
  static constexpr int warps = warps_of(BlockThreads);

 public:
  // Shared memory of one reduction; see the reuse rule above.
  using TempStorage = block_storage<T, warps>;

  ROWFOLD_DEVICE explicit block_reduce(TempStorage& storage) : storage_(storage) {}

  // The reduction of `value` over the block, in every thread, the same bits in each. One barrier.
  template <class Op>
  ROWFOLD_DEVICE T all_reduce(T value, Op op, simt::site where = simt::site::here()) {
    return all_reduce(value, op, BlockThreads, where);
  }

  // The same over the first `valid_threads` threads (1 to BlockThreads, equal in all threads).
  template <class Op>
  ROWFOLD_DEVICE T all_reduce(T value, Op op, int valid_threads, simt::site where = simt::site::here()) {
    detail::write_partials(value, op, storage_.partials, BlockThreads, valid_threads, where);
    return detail::merge_partials(storage_.partials, BlockThreads, warps_of(valid_threads), op, where);
  }

  // The reduction of `value` over the block, in thread 0; in the other threads the result is unspecified. One barrier.
  template <class Op>
  ROWFOLD_DEVICE T reduce(T value, Op op, simt::site where = simt::site::here()) {
    return reduce(value, op, BlockThreads, where);
  }

  // The same over the first `valid_threads` threads (1 to BlockThreads, equal in all threads).
  template <class Op>
  ROWFOLD_DEVICE T reduce(T value, Op op, int valid_threads, simt::site where = simt::site::here()) {
    detail::write_partials(value, op, storage_.partials, BlockThreads, valid_threads, where);
    if (simt::warp_rank() != 0) {
      return value;
    }
    // Warp 0 has a lane for each partial result: 32 lanes, or there is one partial result.
    const int count = warps_of(valid_threads);
    constexpr int lanes = BlockThreads < 32 ? BlockThreads : 32;
    const int source = static_cast<int>(simt::lane()) < count ? static_cast<int>(simt::lane()) : 0;
    return warp_reduce(storage_.partials[source], op, valid_lanes{count},
                       lane_mask{lanes == 32 ? simt::full_mask : (1u << lanes) - 1u}, where);
  }

 private:
  TempStorage& storage_;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

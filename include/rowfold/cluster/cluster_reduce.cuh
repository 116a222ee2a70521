// SPDX-License-Identifier: MIT
// A reduction over all threads of a cluster of blocks. Each block reduces its own threads (block_reduce.cuh), sends the
// result into the shared memory of every block of the cluster, ONE cluster barrier, and every thread merges the blocks'
// results from its own shared memory, in the order of the blocks' ranks and in the library's merge tree. Every thread
// of every block must call, with the storage at the same place of each block's shared memory; every thread of the
// cluster returns the same bits.
//
// Since the results are sent, not fetched, a block never reads another's shared memory and may end after the call. But
// it must not send before the other blocks have begun: a kernel calls simt::sync_cluster() once before its first
// cluster reduction. Reuse rule: storage may be used again only after a cluster barrier that follows the call; a loop
// alternates two storages instead.
//   auto& storage = simt::shared<layout>();   // struct layout { cluster_storage<float> sums[2]; };
//   simt::sync_cluster();                     // every block has begun
//   float total = rowfold::cluster_all_reduce(x, rowfold::sum{}, storage.sums[0], block_threads);
#pragma once

#include "rowfold/block/block_reduce.cuh"
#include "rowfold/simt/cluster.cuh"
#include "rowfold/simt/site.hpp"
#include "rowfold/simt/thread.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Shared memory of one cluster reduction, for blocks of up to 32 * Warps threads and clusters of up to Blocks blocks
// (16 is the most that any GPU has).
template <class T, int Warps = 32, int Blocks = 16>
struct cluster_storage {
  static_assert(Blocks >= 1 && Blocks <= 16, "a cluster has 1 to 16 blocks");
  block_storage<T, Warps> block;
  T blocks[Blocks];  // the result of each block of the cluster, sent by it
};

// The reduction of `value` over the cluster, in every thread. `threads` is the size of a block; FullWarps promises that
// it is a multiple of 32, which makes the code smaller. Below sm_90 a cluster is a single block.
template <bool FullWarps = false, class T, int Warps, int Blocks, class Op>
ROWFOLD_DEVICE T cluster_all_reduce(T value, Op op, cluster_storage<T, Warps, Blocks>& storage, int threads,
                                    simt::site where = simt::site::here()) {
  if constexpr (FullWarps) {
    threads &= ~31;  // changes nothing, and tells the compiler
  }
  const T block_result = block_all_reduce<FullWarps>(value, op, storage.block, threads, where);
  const int blocks = static_cast<int>(simt::cluster_blocks());
  const unsigned own_rank = simt::cluster_rank();
  for (int rank = static_cast<int>(simt::thread_rank()); rank < blocks; rank += threads) {
    *simt::map_shared(&storage.blocks[own_rank], static_cast<unsigned>(rank), where) = block_result;
  }
  // Orders every block's sending above before the reads of all threads below.
  simt::sync_cluster(where);
  return detail::merge_partials(storage.blocks, threads, blocks, op, where);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

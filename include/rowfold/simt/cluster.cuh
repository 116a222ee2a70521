// SPDX-License-Identifier: MIT
// Clusters of blocks: rank, split barrier, and the other blocks' shared memory. Below sm_90 every block is a cluster of
// its own, and the barrier is the block's.
#pragma once

#include "rowfold/simt/block.cuh"
#include "rowfold/simt/site.hpp"
#include "rowfold/simt/thread.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace simt {

// The block within its cluster.
ROWFOLD_DEVICE unsigned cluster_rank() {
#if !defined(__CUDACC__)
  return cpu::current_thread().block->rank_in_cluster;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return __clusterRelativeBlockRank();
#else
  return 0;
#endif
}

// Blocks of the cluster.
ROWFOLD_DEVICE unsigned cluster_blocks() {
#if !defined(__CUDACC__)
  return cpu::current_thread().owner->current_grid().cluster_blocks;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return __clusterSizeInBlocks();
#else
  return 1;
#endif
}

// First half of the cluster's barrier: the calling thread's accesses before it are done as far as those are concerned
// who wait. Every thread of the cluster calls it, then cluster_wait, before it calls it again.
ROWFOLD_DEVICE void cluster_arrive(site where = site::here()) {
#if !defined(__CUDACC__)
  cpu::cluster_arrive(where);
#else
  (void)where;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __cluster_barrier_arrive();
#endif
#endif
}

// Second half: waits until every thread of the cluster has arrived.
ROWFOLD_DEVICE void cluster_wait(site where = site::here()) {
#if !defined(__CUDACC__)
  cpu::cluster_wait(where);
#else
  (void)where;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __cluster_barrier_wait();
#else
  __syncthreads();
#endif
#endif
}

// Both halves.
ROWFOLD_DEVICE void sync_cluster(site where = site::here()) {
  cluster_arrive(where);
  cluster_wait(where);
}

// The object in block `rank`'s shared memory that lies where *own lies in the caller's. That block must have begun and
// not yet ended: put cluster barriers before the first and after the last use.
template <class T>
ROWFOLD_DEVICE T* map_shared(T* own, unsigned rank, site where = site::here()) {
#if !defined(__CUDACC__)
  return static_cast<T*>(cpu::map_shared(own, rank, sizeof(T), where));
#else
  (void)where;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return static_cast<T*>(__cluster_map_shared_rank(own, rank));
#else
  (void)rank;
  return own;
#endif
#endif
}

}  // namespace simt
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// The worker's outer part, on the host's stack: a grid's clusters in the schedule's order, their threads made ready,
// what a finished block left behind looked at.
#pragma once

#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// A fiber of ThreadSanitizer costs some milliseconds and 0.8 MB, and it has room for about 8000.
constexpr std::size_t most_race_fibers = 256;

inline bool worker::run(const grid& work, const schedule& order) {
#if defined(__SANITIZE_THREAD__)
  host_.race_context = __tsan_get_current_fiber();
#endif
  ignore_races scope(host_);
  launch_error.clear();
  grid_ = work;
  failed_ = false;
  shuffled_ = order.kind == schedule::order::shuffle;
  if (!provide_fibers()) return false;
  shape_cluster();
  race_release(&launch_begins_);
  const unsigned clusters = work.blocks / work.cluster_blocks;
  for (unsigned i = 0; i < clusters && !failed_; ++i) {
    prepare_cluster(place_of_cluster(i, order), order);
    failed_ = !run_cluster();
  }
  race_acquire(&launch_ends_);
  return !failed_;
}

// The order of blocks follows that of threads. Shuffled: steps through the ring of clusters by a stride that has no
// common factor with their number, from a start.
inline unsigned worker::place_of_cluster(unsigned i, const schedule& order) const {
  const unsigned clusters = grid_.blocks / grid_.cluster_blocks;
  if (order.kind == schedule::order::reverse || order.kind == schedule::order::greedy_down) return clusters - 1 - i;
  if (order.kind != schedule::order::shuffle) return i;
  const auto common_factor = [](unsigned a, unsigned b) {
    while (b != 0) {
      const unsigned rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  };
  random_source random(order.seed);
  const unsigned start = random.below(clusters);
  unsigned stride = 1 + random.below(clusters);
  while (common_factor(stride, clusters) != 1) ++stride;
  return static_cast<unsigned>((start + std::uint64_t{i} * stride) % clusters);
}

inline pooled_fiber* worker::new_fiber() {
  fibers_.push_back(std::make_unique<pooled_fiber>());
  if (!fibers_.back()->prepare(fiber_entry)) {
    fibers_.pop_back();
    return nullptr;
  }
  idle_.push_back(fibers_.back().get());
  return idle_.back();
}

// Under the race detector every CUDA thread gets its own fiber, made here before any runs; otherwise they are made as
// threads come to wait.
inline bool worker::provide_fibers() {
  if (!has_race_detector) return true;
  const std::size_t wanted = std::size_t{grid_.block_threads} * grid_.cluster_blocks;
  if (wanted > most_race_fibers) {
    launch_error.append("the race detector runs at most %zu threads at a time; this launch has %zu per cluster",
                        most_race_fibers, wanted);
    return false;
  }
  while (fibers_.size() < wanted) {
    if (new_fiber() == nullptr) {
      launch_error.append("no memory for another stack: %zu are in use", fibers_.size());
      return false;
    }
  }
  return true;
}

// Lays out the cluster's threads; the constant part of their state.
inline void worker::shape_cluster() {
  const unsigned threads_per_block = grid_.block_threads;
  const unsigned warps_per_block = (threads_per_block + lanes_per_warp - 1) / lanes_per_warp;
  if (cluster_.threads.size() != std::size_t{threads_per_block} * grid_.cluster_blocks ||
      cluster_.blocks.size() != grid_.cluster_blocks) {
    cluster_.blocks.resize(grid_.cluster_blocks);
    cluster_.warps.resize(std::size_t{warps_per_block} * grid_.cluster_blocks);
    cluster_.threads.resize(std::size_t{threads_per_block} * grid_.cluster_blocks);
  }
  for (unsigned b = 0; b < grid_.cluster_blocks; ++b) {
    block_state& block = cluster_.blocks[b];
    block.rank_in_cluster = b;
    block.threads = &cluster_.threads[std::size_t{b} * threads_per_block];
    block.warps = &cluster_.warps[std::size_t{b} * warps_per_block];
    for (unsigned w = 0; w < warps_per_block; ++w) {
      warp_state& warp = block.warps[w];
      warp.threads = block.threads + w * lanes_per_warp;
      warp.index = static_cast<int>(b * warps_per_block + w);
      const unsigned lanes = threads_per_block - w * lanes_per_warp;
      warp.exists = lanes >= lanes_per_warp ? ~0u : (1u << lanes) - 1;
    }
    for (unsigned t = 0; t < threads_per_block; ++t) {
      thread_state& thread = block.threads[t];
      thread.rank = t;
      thread.lane = t % lanes_per_warp;
      thread.block = &block;
      thread.warp = &block.warps[t / lanes_per_warp];
      thread.owner = this;
    }
  }
}

inline void worker::prepare_cluster(unsigned cluster_index, const schedule& order) {
  ready_.reset(static_cast<int>(cluster_.warps.size()), order, order.seed + cluster_index);
  for (block_state& block : cluster_.blocks) {
    block.rank = cluster_index * grid_.cluster_blocks + block.rank_in_cluster;
    block.exited = 0;
    for (barrier_state& barrier : block.barriers) barrier = barrier_state{};
    block.shared.prepare(grid_.shared_bytes);
  }
  for (warp_state& warp : cluster_.warps) {
    warp.exited = 0;
    warp.pending_operations = 0;
    ready_.add(warp.index, warp.exists);
  }
  for (std::size_t i = 0; i < cluster_.threads.size(); ++i) {
    thread_state& thread = cluster_.threads[i];
    thread.status = thread_status::runnable;
    thread.arrived_at_cluster = false;
    // A fiber's threads are in order for the race detector. Another fiber for the thread of the same rank in the next
    // block lets it see races between blocks of equal ranks too.
    thread.on = has_race_detector ? fibers_[(i + cluster_index) % cluster_.threads.size()].get() : nullptr;
  }
  cluster_.barrier = cluster_barrier_state{};
  cluster_.exited = 0;
  cluster_.yielded.clear();
  cluster_.waiting.clear();
  idle_rounds_ = 0;
}

// False if a thread failed, or the cluster left something undone.
inline bool worker::run_cluster() {
  enter(*next_thread(), host_, nullptr);
  bool good = !failed_;
  if (good) good = check_cluster();
  if (agent_ != nullptr) agent_->reset();
  agent_ = nullptr;
  if (failed_) {  // the stacks of abandoned threads start anew
    idle_.clear();
    for (const auto& each : fibers_) {
      each->prepare(fiber_entry);
      idle_.push_back(each.get());
    }
  }
  return good;
}

inline bool worker::check_cluster() {
  if (const char* undone = agent_ == nullptr ? nullptr : agent_->at_end()) {
    launch_error.append("block %u: %s", cluster_.blocks[0].rank, undone);
    return false;
  }
  for (block_state& block : cluster_.blocks) {
    std::ptrdiff_t offset = 0;
    if (block.shared.intact(offset)) continue;
    const bool inside = offset >= 0 && static_cast<std::size_t>(offset) < block.shared.bytes();
    launch_error.append("the %zu bytes of shared memory of block %u were written %s, at offset %td",
                        block.shared.bytes(), block.rank,
                        inside ? "after the block had exited" : "past their end or start", offset);
    return false;
  }
  return true;
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

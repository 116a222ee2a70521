// SPDX-License-Identifier: MIT
// The threads that could run now, as one bit mask per warp, and the choice of the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "rowfold/cpu/schedule.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// A thread of a cluster: its warp, counted through all blocks of the cluster, and its lane.
struct thread_position {
  int warp;
  int lane;
};

class ready_set {
 public:
  void reset(int warps, const schedule& order, std::uint64_t seed) {
    lanes_.assign(static_cast<std::size_t>(warps), 0);
    words_.assign((static_cast<std::size_t>(warps) + 63) / 64, 0);
    order_ = order.kind;
    random_ = random_source(seed);
    const bool upwards = order_ == schedule::order::forward;
    last_ = upwards ? thread_position{warps - 1, 31} : thread_position{order_ == schedule::order::reverse ? 0 : -1, 0};
  }

  void add(int warp, unsigned lanes) {
    lanes_[index(warp)] |= lanes;
    if (lanes != 0) words_[index(warp / 64)] |= std::uint64_t{1} << (warp % 64);
  }

  bool empty() const {
    for (const std::uint64_t word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

  // Chooses by the schedule and removes; the set must not be empty.
  thread_position take() {
    const thread_position next = choose();
    unsigned& lanes = lanes_[index(next.warp)];
    lanes &= ~(1u << next.lane);
    if (lanes == 0) words_[index(next.warp / 64)] &= ~(std::uint64_t{1} << (next.warp % 64));
    return last_ = next;
  }

  random_source& random() { return random_; }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static int lowest(unsigned mask) { return __builtin_ctz(mask); }
  static int highest(unsigned mask) { return 31 - __builtin_clz(mask); }
  int warps() const { return static_cast<int>(lanes_.size()); }
  unsigned lanes_of_last() const { return last_.warp < 0 ? 0 : lanes_[index(last_.warp)]; }
  unsigned above_last() const { return lanes_of_last() & ~((2u << last_.lane) - 1); }
  unsigned below_last() const { return lanes_of_last() & ((1u << last_.lane) - 1); }

  thread_position choose() {
    switch (order_) {
      case schedule::order::forward:
        if (const unsigned mask = above_last()) return {last_.warp, lowest(mask)};
        return lowest_of(warp_from(last_.warp + 1));
      case schedule::order::reverse:
        if (const unsigned mask = below_last()) return {last_.warp, highest(mask)};
        return highest_of(warp_down_from(last_.warp - 1));
      case schedule::order::greedy_up:
        if (const unsigned mask = above_last()) return {last_.warp, lowest(mask)};
        return lowest_of(lanes_of_last() != 0 ? last_.warp : warp_from(0));
      case schedule::order::greedy_down:
        if (const unsigned mask = below_last()) return {last_.warp, highest(mask)};
        return highest_of(lanes_of_last() != 0 ? last_.warp : warp_down_from(warps() - 1));
      default: {
        const int warp = warp_from(static_cast<int>(random_.below(static_cast<unsigned>(warps()))));
        const int turn = static_cast<int>(random_.below(32));
        const unsigned mask = lanes_[index(warp)];
        const unsigned turned = turn == 0 ? mask : mask >> turn | mask << (32 - turn);
        return {warp, (lowest(turned) + turn) % 32};
      }
    }
  }
  thread_position lowest_of(int warp) const { return {warp, lowest(lanes_[index(warp)])}; }
  thread_position highest_of(int warp) const { return {warp, highest(lanes_[index(warp)])}; }

  // The first warp at or after `start` with a ready thread, going round.
  int warp_from(int start) const {
    for (int warp = start; warp < warps(); warp = (warp / 64 + 1) * 64) {
      const std::uint64_t word = words_[index(warp / 64)] >> (warp % 64);
      if (word != 0) return warp + __builtin_ctzll(word);
    }
    return warp_from(0);
  }
  // The first warp at or before `start` with a ready thread, going round.
  int warp_down_from(int start) const {
    for (int warp = start; warp >= 0; warp = warp / 64 * 64 - 1) {
      const std::uint64_t word = words_[index(warp / 64)] << (63 - warp % 64);
      if (word != 0) return warp - __builtin_clzll(word);
    }
    return warp_down_from(warps() - 1);
  }

  std::vector<unsigned> lanes_;
  std::vector<std::uint64_t> words_;  // one bit per warp: has ready lanes
  schedule::order order_ = schedule::order::forward;
  random_source random_;
  thread_position last_{0, 0};
};

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

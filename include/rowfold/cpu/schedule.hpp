// SPDX-License-Identifier: MIT
// In which order the executor runs threads that could all run: a correct kernel gives the same result under each.
//
// A thread runs until it waits. Forward and reverse go round the threads once between two barriers; the greedy ones let
// a warp run as far as it can before any other; shuffle picks at random from a seed. A missing barrier that one order
// hides another shows. Blocks follow the same order.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

struct schedule {
  enum class order : unsigned char { forward, reverse, greedy_up, greedy_down, shuffle };

  order kind = order::forward;
  std::uint64_t seed = 0;  // of shuffle

  static schedule forward() { return {order::forward, 0}; }
  static schedule reverse() { return {order::reverse, 0}; }
  static schedule greedy_up() { return {order::greedy_up, 0}; }
  static schedule greedy_down() { return {order::greedy_down, 0}; }
  static schedule shuffle(std::uint64_t seed) { return {order::shuffle, seed}; }
};

// Reads "forward", "reverse", "greedy_up", "greedy_down" or "shuffle:SEED"; false and no change for anything else.
inline bool parse_schedule(const char* text, schedule& result) {
  if (std::strcmp(text, "forward") == 0) return result = schedule::forward(), true;
  if (std::strcmp(text, "reverse") == 0) return result = schedule::reverse(), true;
  if (std::strcmp(text, "greedy_up") == 0) return result = schedule::greedy_up(), true;
  if (std::strcmp(text, "greedy_down") == 0) return result = schedule::greedy_down(), true;
  constexpr std::size_t prefix = sizeof("shuffle:") - 1;
  if (std::strncmp(text, "shuffle:", prefix) != 0 || text[prefix] < '0' || text[prefix] > '9') return false;
  char* end = nullptr;
  const std::uint64_t seed = std::strtoull(text + prefix, &end, 10);
  if (*end != '\0') return false;
  result = schedule::shuffle(seed);
  return true;
}

// A small generator (SplitMix64: a Weyl sequence through a bijective mixer), enough to vary an order.
class random_source {
 public:
  explicit random_source(std::uint64_t seed = 0) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }
  // In [0, bound); bound > 0.
  unsigned below(unsigned bound) { return static_cast<unsigned>(((next() >> 32) * bound) >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

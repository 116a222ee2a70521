// SPDX-License-Identifier: MIT
// How the hardware serves shared memory: 32 banks of 4 bytes; a warp's access of 16 bytes in four parts of 8 lanes, of
// 8 bytes in two of 16, of less in one. A part takes as many turns as different words of one bank it names.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

namespace rowfold_test {

// The turns of the slowest part of a warp whose lanes access `bytes` at these offsets.
inline int turns(const std::vector<int>& offsets, int bytes) {
  const int lanes = bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
  int most = 0;
  for (int first = 0; first < 32; first += lanes) {
    std::set<int> words[32];
    for (int lane = first; lane < first + lanes; ++lane) {
      const int begin = offsets[static_cast<std::size_t>(lane)];
      for (int word = begin / 4; word <= (begin + bytes - 1) / 4; ++word) words[word % 32].insert(word);
    }
    for (const auto& bank : words) most = std::max(most, static_cast<int>(bank.size()));
  }
  return most;
}

}  // namespace rowfold_test

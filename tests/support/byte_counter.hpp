// SPDX-License-Identifier: MIT
// Counts the bytes that kernels move in some tensors. CPU back end alone: the GPU does not tell.
#pragma once

#if !defined(__CUDACC__)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rowfold/cpu/traffic.hpp"
#include "support/row_memory.hpp"

namespace rowfold_test {

// Counts the bytes that kernels move in some tensors, and those of them that lie outside the tensors' rows.
class byte_counter {
 public:
  ~byte_counter() {
    while (!ranges_.empty()) ranges_.pop_back();  // in reverse order of making
  }

  void watch(row_memory* memory) {
    if (memory == nullptr) return;
    constexpr std::size_t around = 256;  // the canaries
    whole_.push_back(ranges_.size());
    add(memory->begin() - around, memory->bytes() + 2 * around);
    for (std::int64_t row = 0; row < memory->rows(); ++row) add(memory->address(row), memory->row_bytes());
  }

  // Bytes that are no rows, such as a vector of integers.
  void watch(const unsigned char* begin, std::size_t bytes) {
    whole_.push_back(ranges_.size());
    add(begin, bytes);
    add(begin, bytes);
  }

  std::int64_t moved_in_rows() const { return total(false); }
  std::int64_t moved_outside_rows() const { return total(true) - total(false); }

 private:
  void add(const unsigned char* begin, std::size_t bytes) {
    ranges_.push_back(std::make_unique<rowfold::cpu::watched_range>(begin, bytes));
  }
  std::int64_t total(bool whole) const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const bool is_whole = std::find(whole_.begin(), whole_.end(), i) != whole_.end();
      if (is_whole == whole) bytes += ranges_[i]->loaded_bytes() + ranges_[i]->stored_bytes();
    }
    return static_cast<std::int64_t>(bytes);
  }

  std::vector<std::unique_ptr<rowfold::cpu::watched_range>> ranges_;
  std::vector<std::size_t> whole_;
};

}  // namespace rowfold_test

#endif

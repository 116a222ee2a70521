// SPDX-License-Identifier: MIT
// Counts the bytes that kernels move in some tensors. On the CPU back end alone: the GPU does not tell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "support/check.hpp"
#include "support/row_memory.hpp"

#if !defined(__CUDACC__)
#include "rowfold/cpu/traffic.hpp"
#endif

namespace rowfold_test {

#if !defined(__CUDACC__)

class byte_counter {
 public:
  // Without `counts` it does nothing, and has counted 0.
  explicit byte_counter(bool counts = true) : counts_(counts) {}
  ~byte_counter() {
    while (!ranges_.empty()) ranges_.pop_back();  // in reverse order of making
  }

  // The rows of these tensors; null pointers are none.
  void watch(std::initializer_list<row_memory*> memories) {
    constexpr std::size_t around = 256;  // the canaries
    for (row_memory* memory : memories) {
      if (memory == nullptr || !counts_) continue;
      whole_.push_back(ranges_.size());
      add(memory->begin() - around, memory->bytes() + 2 * around);
      for (std::int64_t row = 0; row < memory->rows(); ++row) add(memory->address(row), memory->row_bytes());
    }
  }

  // Bytes that are no rows, such as a vector of integers.
  void watch(const void* begin, std::size_t bytes) {
    if (!counts_) return;
    whole_.push_back(ranges_.size());
    for (int i = 0; i < 2; ++i) add(static_cast<const unsigned char*>(begin), bytes);
  }

  // Bytes moved since; requires that none of them lie outside the rows.
  std::int64_t moved() const {
    REQUIRE(total(true) == total(false));
    return total(false);
  }

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

  bool counts_;
  std::vector<std::unique_ptr<rowfold::cpu::watched_range>> ranges_;
  std::vector<std::size_t> whole_;
};

#else

class byte_counter {
 public:
  explicit byte_counter(bool = true) {}
  void watch(std::initializer_list<row_memory*>) {}
  void watch(const void*, std::size_t) {}
  std::int64_t moved() const { return 0; }
};

#endif

}  // namespace rowfold_test

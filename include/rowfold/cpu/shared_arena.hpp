// SPDX-License-Identifier: MIT
// One block's dynamic shared memory.
//
// Filled with 0xFF (NaN in every floating-point type) before each block, so that reading what was never written shows.
// Bytes before and after it hold a pattern that is checked when the block has ended; AddressSanitizer is told to refuse
// them at once. The start is aligned to 128 bytes, as simt::shared promises, and never to more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "rowfold/cpu/sanitizer.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

class shared_arena {
 public:
  shared_arena() = default;
  shared_arena(shared_arena&&) = default;
  shared_arena& operator=(shared_arena&&) = default;
  ~shared_arena() { release(); }

  unsigned char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool contains(const void* pointer) const {
    const auto offset = reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(data_);
    return offset < bytes_;
  }

  // Gives `bytes` fresh bytes. Under the race detector their addresses must be fresh too: the accesses of an earlier
  // block in this place are not ordered before ours, and need not be.
  void prepare(std::size_t bytes) {
    if (memory_ == nullptr || bytes != bytes_ || has_race_detector) {
      release();
      memory_.reset(new unsigned char[2 * alignment + 2 * guard_bytes + bytes]);
      const auto address = reinterpret_cast<std::uintptr_t>(memory_.get() + guard_bytes);
      data_ = memory_.get() + guard_bytes + (alignment - address % alignment) % alignment;
      if (reinterpret_cast<std::uintptr_t>(data_) % (2 * alignment) == 0) data_ += alignment;
      bytes_ = bytes;
    }
    closed_ = false;
    allow_all();
    std::memset(data_ - guard_bytes, guard_byte, guard_bytes);
    std::memset(data_, 0xFF, bytes);
    std::memset(data_ + bytes, guard_byte, guard_bytes);
    poison(data_ - guard_bytes, guard_bytes);
    poison(data_ + bytes, guard_bytes);
  }

  // The block has exited while others of its cluster run on: nobody may use its memory any more.
  void close() {
    std::memset(data_, 0xFF, bytes_);
    poison(data_, bytes_);
    closed_ = true;
  }

  // Whether nothing was written where it may not be; if something was, `offset` from data() is where: within the memory
  // after close(), otherwise before or after it.
  bool intact(std::ptrdiff_t& offset) {
    allow_all();
    for (std::size_t i = 0; i < guard_bytes; ++i) {
      if (data_[bytes_ + i] != guard_byte) return offset = static_cast<std::ptrdiff_t>(bytes_ + i), false;
      if (*(data_ - 1 - i) != guard_byte) return offset = -1 - static_cast<std::ptrdiff_t>(i), false;
    }
    for (std::size_t i = 0; closed_ && i < bytes_; ++i) {
      if (data_[i] != 0xFF) return offset = static_cast<std::ptrdiff_t>(i), false;
    }
    return true;
  }

 private:
  static constexpr std::size_t alignment = 128;
  static constexpr std::size_t guard_bytes = 256;  // wider than any single access; keeps the start's alignment
  static constexpr unsigned char guard_byte = 0xA5;

  void allow_all() { unpoison(data_ - guard_bytes, bytes_ + 2 * guard_bytes); }
  void release() {
    if (memory_ != nullptr) allow_all();
    memory_.reset();
  }

  std::unique_ptr<unsigned char[]> memory_;
  unsigned char* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

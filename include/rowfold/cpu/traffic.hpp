// SPDX-License-Identifier: MIT
// How many bytes kernels load from and store to a tensor, and whether each access is aligned.
//
// The functions of ptx/global_memory.cuh report every access here before they make it. A test sets up one watched_range
// per tensor and compares the counts with what the launch plan says it will move.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// While it lives, counts the bytes that kernels launched from this host thread load from and store to [begin, begin +
// bytes). A byte loaded twice counts twice. Ranges may overlap; each counts for itself. Destroy in reverse order of
// making.
class watched_range {
 public:
  watched_range(const void* begin, std::size_t bytes)
      : begin_(reinterpret_cast<std::uintptr_t>(begin)), end_(begin_ + bytes), next_(first) {
    first = this;
  }
  ~watched_range() { first = next_; }
  watched_range(const watched_range&) = delete;
  watched_range& operator=(const watched_range&) = delete;

  std::uint64_t loaded_bytes() const { return loaded_; }
  std::uint64_t stored_bytes() const { return stored_; }
  void reset() { loaded_ = stored_ = 0; }

  static void count(const void* pointer, std::size_t bytes, bool is_load) {
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    const std::uintptr_t end = begin + bytes;
    for (watched_range* range = first; range != nullptr; range = range->next_) {
      const std::uintptr_t from = begin > range->begin_ ? begin : range->begin_;
      const std::uintptr_t to = end < range->end_ ? end : range->end_;
      if (from < to) (is_load ? range->loaded_ : range->stored_) += to - from;
    }
  }
  static bool any() { return first != nullptr; }

 private:
  static inline thread_local watched_range* first = nullptr;

  std::uintptr_t begin_;
  std::uintptr_t end_;
  watched_range* next_;
  std::uint64_t loaded_ = 0;
  std::uint64_t stored_ = 0;
};

inline void count_access(const void* pointer, std::size_t bytes, bool is_load) {
  if (!watched_range::any()) return;
  ignore_races scope(*current_thread().on);
  watched_range::count(pointer, bytes, is_load);
}
inline void count_load(const void* pointer, std::size_t bytes) { count_access(pointer, bytes, true); }
inline void count_store(const void* pointer, std::size_t bytes) { count_access(pointer, bytes, false); }

[[noreturn]] __attribute__((noinline, cold)) inline void fail_misaligned(const void* pointer, std::size_t bytes,
                                                                         const char* access) {
  fail(current_thread(), "makes a misaligned %zu-byte %s at address %p", bytes, access, pointer);
}

// Fails the launch unless `pointer` is a multiple of `bytes`, a power of two. `access` is "load" or "store".
inline void require_aligned(const void* pointer, std::size_t bytes, const char* access) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % bytes != 0) fail_misaligned(pointer, bytes, access);
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

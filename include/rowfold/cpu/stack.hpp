// SPDX-License-Identifier: MIT
// A fiber's stack: private pages with an inaccessible guard page below, so that an overflow faults at once.
//
// Every stack costs two mappings of the process; with Linux's default limit of 65530 (vm.max_map_count) some 32000 fit.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

#include "rowfold/cpu/sanitizer.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// Usable bytes. Optimised kernels with shuffles needed up to 6 KiB; sanitizers' and unoptimised frames are larger.
#if defined(__OPTIMIZE__)
constexpr std::size_t stack_bytes = (has_address_sanitizer || has_race_detector ? 64 : 32) * 1024;
#else
constexpr std::size_t stack_bytes = std::size_t{64} * 1024;
#endif

class stack {
 public:
  stack() = default;
  stack(const stack&) = delete;
  stack& operator=(const stack&) = delete;
  ~stack() {
    if (mapping_ != nullptr) munmap(mapping_, guard_bytes() + stack_bytes);
  }

  // False if the system has no more mappings or memory.
  bool map() {
    void* mapping = mmap(nullptr, guard_bytes() + stack_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) return false;
    if (mprotect(mapping, guard_bytes(), PROT_NONE) != 0) {
      munmap(mapping, guard_bytes() + stack_bytes);
      return false;
    }
    mapping_ = mapping;
    return true;
  }

  unsigned char* bottom() const { return static_cast<unsigned char*>(mapping_) + guard_bytes(); }
  unsigned char* top() const { return bottom() + stack_bytes; }

 private:
  static std::size_t guard_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

  void* mapping_ = nullptr;
};

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// What the executor tells AddressSanitizer and ThreadSanitizer; every function is empty where neither is on.
//
// AddressSanitizer must know of stack switches and of the poisoned borders of shared memory. ThreadSanitizer is used as
// a race detector of *kernels*: each CUDA thread is one of its fibers, switches order nothing, and only real barriers
// do (race_release before, race_acquire after). The executor's own bookkeeping would then look like races, so it runs
// inside an ignore_races scope.
#pragma once

#include <cstddef>

#include "rowfold/config.hpp"

#if defined(__has_feature)
#if (__has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)) || \
    (__has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__))
#error "rowfold: the CPU executor knows g++'s sanitizers only"
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
// ThreadSanitizer exports these; its installed header does not declare them.
extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
void __tsan_read_range(void* memory, unsigned long bytes);
void __tsan_write_range(void* memory, unsigned long bytes);
}
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool has_address_sanitizer = true;
inline void poison(const void* memory, std::size_t bytes) { __asan_poison_memory_region(memory, bytes); }
inline void unpoison(const void* memory, std::size_t bytes) { __asan_unpoison_memory_region(memory, bytes); }
#else
constexpr bool has_address_sanitizer = false;
inline void poison(const void*, std::size_t) {}
inline void unpoison(const void*, std::size_t) {}
#endif

#if defined(__SANITIZE_THREAD__)
constexpr bool has_race_detector = true;
inline void race_release(void* object) { __tsan_release(object); }
inline void race_acquire(void* object) { __tsan_acquire(object); }
inline void begin_ignoring_races() {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}
inline void end_ignoring_races() {
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
#else
constexpr bool has_race_detector = false;
inline void race_release(void*) {}
inline void race_acquire(void*) {}
inline void begin_ignoring_races() {}
inline void end_ignoring_races() {}
#endif

#if defined(__SANITIZE_ADDRESS__)
// AddressSanitizer names the kind of memory in its report by the first address of an access.
template <class Check>
void each_word(const void* memory, std::size_t bytes, Check check) {
  char* const begin = static_cast<char*>(const_cast<void*>(memory));
  for (std::size_t i = 0; i < bytes; i += 8) check(begin + i, bytes - i < 8 ? bytes - i : 8);
}
#endif

// The running CUDA thread counts as reading or writing these bytes here, as far as the sanitizers are concerned: for
// accesses that are made later on its behalf. Not within an ignore_races scope.
inline void note_read([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  each_word(memory, bytes, [](void* part, std::size_t size) { __builtin___asan_loadN(part, size); });
#elif defined(__SANITIZE_THREAD__)
  __tsan_read_range(const_cast<void*>(memory), bytes);
#endif
}
inline void note_write([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  each_word(memory, bytes, [](void* part, std::size_t size) { __builtin___asan_storeN(part, size); });
#elif defined(__SANITIZE_THREAD__)
  __tsan_write_range(memory, bytes);
#endif
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

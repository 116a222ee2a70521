// SPDX-License-Identifier: MIT
// What the lanes of a warp do together: shuffles, votes, and the barrier that orders their memory accesses.
//
// All lanes named in the mask call the function, at the same line and with the same mask; every lane gets its result. A
// shuffle moves any trivially copyable type of 1, 2 or a multiple of 4 bytes up to 16. Reading a lane that takes no
// part (not in the mask, exited, beyond the end of the block) is undefined on the GPU and an error on the CPU back end.
// Shuffles and votes order no memory accesses; sync_warp does.
#pragma once

#include "rowfold/simt/site.hpp"
#include "rowfold/simt/thread.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace simt {

namespace detail {

template <class T>
struct shuffle_words {
  static_assert(__is_trivially_copyable(T), "a shuffle copies bytes");
  static_assert(sizeof(T) <= 16 && (sizeof(T) % 4 == 0 || sizeof(T) <= 2),
                "a shuffle moves 1, 2, 4, 8, 12 or 16 bytes");
  static constexpr int count = (static_cast<int>(sizeof(T)) + 3) / 4;
};

#if defined(__CUDACC__)
// Applies a shuffle of one 32-bit word to each word of the value.
template <class T, class ShuffleWord>
ROWFOLD_DEVICE T by_words(T value, ShuffleWord shuffle_word) {
  unsigned words[shuffle_words<T>::count] = {};
  memcpy(words, &value, sizeof(T));
  ROWFOLD_UNROLL
  for (int i = 0; i < shuffle_words<T>::count; ++i) words[i] = shuffle_word(words[i]);
  memcpy(&value, words, sizeof(T));
  return value;
}
#else
template <class T>
void check_shuffle(unsigned width, const site& where) {
  static_assert(shuffle_words<T>::count > 0, "");  // asks for the checks of the type
  if (width == 0 || width > warp_threads || (width & (width - 1)) != 0) {
    cpu::fail(cpu::current_thread(), "shuffles at %s:%d with width %u, not a power of two up to 32", where.file_name(),
              where.line, width);
  }
}
#endif

}  // namespace detail

// The value of lane `source_lane` (modulo width) of the caller's group of `width` lanes.
template <class T>
ROWFOLD_DEVICE T shuffle(T value, unsigned source_lane, unsigned width = warp_threads, unsigned mask = full_mask,
                         site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  return detail::by_words(value, [&](unsigned word) {
    return __shfl_sync(mask, word, static_cast<int>(source_lane), static_cast<int>(width));
  });
#else
  detail::check_shuffle<T>(width, where);
  const unsigned source = (lane() & ~(width - 1)) | (source_lane & (width - 1));
  return cpu::exchange(cpu::warp_kind::shuffle, value, source, mask, where);
#endif
}

// The value of the lane whose number differs from the caller's in the bits of `lane_mask`; the own one beyond the end
// of the caller's group.
template <class T>
ROWFOLD_DEVICE T shuffle_xor(T value, unsigned lane_mask, unsigned width = warp_threads, unsigned mask = full_mask,
                             site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  return detail::by_words(value, [&](unsigned word) {
    return __shfl_xor_sync(mask, word, static_cast<int>(lane_mask), static_cast<int>(width));
  });
#else
  detail::check_shuffle<T>(width, where);
  const unsigned source = lane() ^ lane_mask;
  const unsigned last = lane() | (width - 1);
  return cpu::exchange(cpu::warp_kind::shuffle_xor, value, source <= last ? source : lane(), mask, where);
#endif
}

// The value of the lane `delta` below the caller; the own one where that would leave the caller's group.
template <class T>
ROWFOLD_DEVICE T shuffle_up(T value, unsigned delta, unsigned width = warp_threads, unsigned mask = full_mask,
                            site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  return detail::by_words(value,
                          [&](unsigned word) { return __shfl_up_sync(mask, word, delta, static_cast<int>(width)); });
#else
  detail::check_shuffle<T>(width, where);
  const unsigned source = (lane() & (width - 1)) >= delta ? lane() - delta : lane();
  return cpu::exchange(cpu::warp_kind::shuffle_up, value, source, mask, where);
#endif
}

// The value of the lane `delta` above the caller; the own one where that would leave the caller's group.
template <class T>
ROWFOLD_DEVICE T shuffle_down(T value, unsigned delta, unsigned width = warp_threads, unsigned mask = full_mask,
                              site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  return detail::by_words(value,
                          [&](unsigned word) { return __shfl_down_sync(mask, word, delta, static_cast<int>(width)); });
#else
  detail::check_shuffle<T>(width, where);
  const unsigned source = delta < width - (lane() & (width - 1)) ? lane() + delta : lane();
  return cpu::exchange(cpu::warp_kind::shuffle_down, value, source, mask, where);
#endif
}

// The predicates of the lanes of the mask, lane i's at bit i; 0 for other lanes.
ROWFOLD_DEVICE unsigned ballot(bool predicate, unsigned mask = full_mask, site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  return __ballot_sync(mask, predicate);
#else
  return cpu::vote(cpu::warp_kind::ballot, predicate, mask, where);
#endif
}

// Whether the predicate holds in some lane of the mask.
ROWFOLD_DEVICE bool any(bool predicate, unsigned mask = full_mask, site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  return __any_sync(mask, predicate) != 0;
#else
  return cpu::vote(cpu::warp_kind::any, predicate, mask, where) != 0;
#endif
}

// Whether the predicate holds in all lanes of the mask.
ROWFOLD_DEVICE bool all(bool predicate, unsigned mask = full_mask, site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  return __all_sync(mask, predicate) != 0;
#else
  return cpu::vote(cpu::warp_kind::all, !predicate, mask, where) == 0;
#endif
}

// Waits until all lanes of the mask are here; orders accesses to memory before it ahead of those after it, among them.
ROWFOLD_DEVICE void sync_warp(unsigned mask = full_mask, site where = site::here()) {
#if defined(__CUDACC__)
  (void)where;
  __syncwarp(mask);
#else
  cpu::sync_warp(mask, where);
#endif
}

}  // namespace simt
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

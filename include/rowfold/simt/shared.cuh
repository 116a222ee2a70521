// SPDX-License-Identifier: MIT
// The block's dynamic shared memory, seen as one layout struct.
//
// Kernels keep everything they share in one struct and ask for it here: __shared__ variables would silently be
// per-thread on the CPU back end. The launch gives the size (launch_config::shared_bytes ≥ sizeof the struct). Contents
// are undefined at the start.
#pragma once

#include "rowfold/simt/site.hpp"
#include "rowfold/simt/thread.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {
namespace simt {

constexpr unsigned shared_alignment = 128;  // enough for bulk copies and whole cache lines

#if defined(__CUDACC__)
// One symbol for every kernel and type: arrays of different types could not share a name.
extern __shared__ __align__(128) unsigned char dynamic_shared_memory[];
#endif

// The struct T at the start of the arena; every thread of the block gets the same one.
template <class T>
ROWFOLD_DEVICE T& shared(site where = site::here()) {
  static_assert(alignof(T) <= shared_alignment, "shared memory is aligned to 128 bytes");
#if defined(__CUDACC__)
  (void)where;
  return *reinterpret_cast<T*>(dynamic_shared_memory);
#else
  const cpu::thread_state& self = cpu::current_thread();
  const cpu::shared_arena& arena = self.block->shared;
  if (sizeof(T) > arena.bytes()) {
    cpu::fail(self, "needs %zu bytes of shared memory at %s:%d but was launched with %zu", sizeof(T), where.file_name(),
              where.line, arena.bytes());
  }
  return *reinterpret_cast<T*>(arena.data());
#endif
}

}  // namespace simt
}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

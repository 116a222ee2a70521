// SPDX-License-Identifier: MIT
// An mbarrier of the CPU back end: a barrier in shared memory that counts arrivals and bytes of asynchronous copies.
//
// Its 8 bytes hold {a mark that it is initialised, the phase's parity, the count of arrivals, arrivals to come, bytes
// to come}. A phase is over when no arrival and no byte is to come; the next begins at once. ptx/mbarrier.cuh has the
// functions that kernels call. For the race detector an arrival releases, and a wait acquires, on one of two addresses
// within the 8 bytes: that of the phase's parity, so that a thread early in the next phase is not taken as ordered
// before one late out of this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "rowfold/cpu/cluster_barrier.hpp"
#include "rowfold/cpu/wait.hpp"
#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// As far as the hardware counts.
constexpr unsigned most_mbarrier_arrivals = (1u << 20) - 1;
constexpr int most_mbarrier_bytes = (1 << 20) - 1;

struct mbarrier_state {
  bool initialised = false;
  unsigned phase = 0;    // parity of the phase that has begun and is not over
  unsigned count = 0;    // arrivals of each phase
  unsigned pending = 0;  // arrivals to come in this one
  int bytes = 0;         // to come in this one; negative where a copy was ahead of the arrival that expects it
};

// The mark distinguishes an mbarrier from fresh shared memory (all ones) and from zeros.
constexpr std::uint64_t mbarrier_mark = 1;

inline mbarrier_state read_mbarrier(const void* barrier) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, barrier, sizeof(bits));
  mbarrier_state state;
  state.initialised = (bits & 3) == mbarrier_mark;
  state.phase = static_cast<unsigned>(bits >> 2 & 1);
  state.count = static_cast<unsigned>(bits >> 3 & most_mbarrier_arrivals);
  state.pending = static_cast<unsigned>(bits >> 23 & most_mbarrier_arrivals);
  state.bytes = static_cast<int>(bits >> 43) - (1 << 20);
  return state;
}

inline void write_mbarrier(void* barrier, const mbarrier_state& state) {
  const std::uint64_t bits = mbarrier_mark | std::uint64_t{state.phase} << 2 | std::uint64_t{state.count} << 3 |
                             std::uint64_t{state.pending} << 23 |
                             static_cast<std::uint64_t>(state.bytes + (1 << 20)) << 43;
  std::memcpy(barrier, &bits, sizeof(bits));
}

// Fails the launch: which function `who` called where, and what is wrong with that at this mbarrier of some block of
// the cluster.
[[noreturn]] __attribute__((noinline, cold)) inline void fail_at_mbarrier(const thread_state& who, const char* function,
                                                                          const call_site& where, const void* barrier,
                                                                          const char* fault) {
  for (const block_state& block : who.owner->cluster().blocks) {
    if (!block.shared.contains(barrier)) continue;
    fail(who, "calls %s at %s:%d, but the mbarrier at byte %td of block %u's shared memory %s", function,
         where.file_name(), where.line, static_cast<const unsigned char*>(barrier) - block.shared.data(), block.rank,
         fault);
  }
  fail(who, "calls %s at %s:%d, but the mbarrier is not in shared memory", function, where.file_name(), where.line);
}

// The state of an initialised mbarrier; anything else fails the launch.
inline mbarrier_state mbarrier_of(const thread_state& who, const char* function, const call_site& where,
                                  const void* barrier) {
  const mbarrier_state state = read_mbarrier(barrier);
  if (!state.initialised) fail_at_mbarrier(who, function, where, barrier, "is not initialised");
  return state;
}

// Most functions are for mbarriers of the caller's own block.
inline void require_own_mbarrier(const thread_state& self, const char* function, const call_site& where,
                                 const void* barrier) {
  if (self.block->shared.contains(barrier)) return;
  fail_at_mbarrier(self, function, where, barrier, "belongs to another block");
}

// Begins the next phase if this one is over, and wakes those who wait for that.
inline void write_and_advance(worker& owner, void* barrier, mbarrier_state state) {
  const bool over = state.pending == 0 && state.bytes == 0;
  if (over) {
    state.phase ^= 1;
    state.pending = state.count;
  }
  write_mbarrier(barrier, state);
  if (over) notify(owner, barrier);
}

inline void* race_object_of(void* barrier, unsigned parity) { return static_cast<unsigned char*>(barrier) + parity; }

inline void mbarrier_init(void* barrier, unsigned count, const call_site& where) {
  thread_state& self = current_thread();
  require_own_mbarrier(self, "init", where, barrier);
  note_write(barrier, sizeof(std::uint64_t));
  ignore_races scope(*self.on);
  if (read_mbarrier(barrier).initialised) {
    fail_at_mbarrier(self, "init", where, barrier, "is initialised already");
  }
  if (count == 0 || count > most_mbarrier_arrivals) {
    fail(self, "calls init at %s:%d for %u arrivals: an mbarrier takes 1 to %u", where.file_name(), where.line, count,
         most_mbarrier_arrivals);
  }
  mbarrier_state state;
  state.count = state.pending = count;
  write_mbarrier(barrier, state);
}

// The 8 bytes are plain memory again.
inline void mbarrier_inval(void* barrier, const call_site& where) {
  thread_state& self = current_thread();
  require_own_mbarrier(self, "inval", where, barrier);
  note_write(barrier, sizeof(std::uint64_t));
  ignore_races scope(*self.on);
  (void)mbarrier_of(self, "inval", where, barrier);
  std::memset(barrier, 0xFF, sizeof(std::uint64_t));
}

// One arrival, after it has announced `bytes` more to come. The mbarrier may be another block's.
inline void mbarrier_arrive(void* barrier, unsigned bytes, const char* function, const call_site& where) {
  thread_state& self = current_thread();
  note_read(barrier, sizeof(std::uint64_t));
  ignore_races scope(*self.on);
  mbarrier_state state = mbarrier_of(self, function, where, barrier);
  if (state.pending == 0) {
    char fault[80];
    std::snprintf(fault, sizeof(fault), "has had all %u arrivals of its phase and waits for bytes", state.count);
    fail_at_mbarrier(self, function, where, barrier, fault);
  }
  if (bytes > static_cast<unsigned>(most_mbarrier_bytes) ||
      state.bytes + static_cast<int>(bytes) > most_mbarrier_bytes) {
    fail_at_mbarrier(self, function, where, barrier, "would expect more than 1048575 bytes");
  }
  race_release(race_object_of(barrier, state.phase));
  --state.pending;
  state.bytes += static_cast<int>(bytes);
  if (state.pending == 0 && state.bytes < 0) {
    fail_at_mbarrier(self, function, where, barrier, "has received more bytes than its phase expects");
  }
  write_and_advance(*self.owner, barrier, state);
}

// An arrival at the mbarrier of block `rank` of the cluster that lies where *barrier lies in the caller's.
inline void mbarrier_arrive_at(void* barrier, unsigned rank, const call_site& where) {
  mbarrier_arrive(map_shared(barrier, rank, sizeof(std::uint64_t), where), 0, "arrive_at", where);
}

// Bytes of an asynchronous copy have come. On behalf of the thread that issued it, on any thread's stack.
inline void mbarrier_complete_bytes(const thread_state& issuer, void* barrier, unsigned bytes, const char* function,
                                    const call_site& where) {
  mbarrier_state state = mbarrier_of(issuer, function, where, barrier);
  state.bytes -= static_cast<int>(bytes);
  if (state.bytes < (state.pending == 0 ? 0 : -most_mbarrier_bytes)) {
    fail_at_mbarrier(issuer, function, where, barrier, "receives more bytes than its phase expects");
  }
  write_and_advance(*issuer.owner, barrier, state);
}

// The opening of both kinds of wait.
inline void begin_mbarrier_wait(const thread_state& self, void* barrier, unsigned parity, const call_site& where) {
  require_own_mbarrier(self, "wait", where, barrier);
  note_read(barrier, sizeof(std::uint64_t));
  if (parity <= 1) return;
  fail(self, "waits at %s:%d for parity %u of an mbarrier, neither 0 nor 1", where.file_name(), where.line, parity);
}

inline const char* mbarrier_wait_name(unsigned parity) {
  return parity == 0 ? "an mbarrier wait for parity 0" : "an mbarrier wait for parity 1";
}

// Sleeps until the phase of this parity is over. A new mbarrier counts as one whose phase of parity 1 is over.
inline void mbarrier_wait(void* barrier, unsigned parity, const call_site& where) {
  thread_state& self = current_thread();
  begin_mbarrier_wait(self, barrier, parity, where);
  wait_until(barrier, mbarrier_wait_name(parity), where,
             [&] { return mbarrier_of(self, "wait", where, barrier).phase != parity; });
  race_acquire(race_object_of(barrier, parity));
}

// Whether the phase of this parity is over; lets other threads run first if it is not.
inline bool mbarrier_try_wait(void* barrier, unsigned parity, const call_site& where) {
  thread_state& self = current_thread();
  begin_mbarrier_wait(self, barrier, parity, where);
  ignore_races scope(*self.on);
  if (mbarrier_of(self, "wait", where, barrier).phase == parity) {
    yield(mbarrier_wait_name(parity), where);
    if (mbarrier_of(self, "wait", where, barrier).phase == parity) return false;
  }
  race_acquire(race_object_of(barrier, parity));
  return true;
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

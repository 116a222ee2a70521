// SPDX-License-Identifier: MIT
// Operations of a warp: each lane of the mask leaves its part and waits; the last one to come computes everybody's
// result.
//
// One wait per operation, and the last to come is where every misuse is known: another mask, another operation or
// source line, a source lane that takes no part. Lanes that have exited or never existed are not waited for, but
// reading one is an error. A shuffle orders no memory accesses; only sync_warp does.
#pragma once

#include <cstring>

#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

[[noreturn]] __attribute__((noinline, cold)) inline void fail_absent_source(const thread_state& reader,
                                                                            const warp_operation& operation) {
  const unsigned source = reader.source_lane;
  const bool named = (operation.mask >> source & 1) != 0;
  const bool exists = (reader.warp->exists >> source & 1) != 0;
  const char* const why = !named ? "is not named in its mask" : !exists ? "does not exist in this block" : "has exited";
  fail(reader, "reads lane %u in %s at %s:%d with mask 0x%08x, but that lane %s", source, name_of(operation.kind),
       reader.where.file_name(), reader.where.line, operation.mask, why);
}

[[noreturn]] __attribute__((noinline, cold)) inline void fail_mismatch(const thread_state& self, warp_kind kind,
                                                                       unsigned mask, const call_site& where,
                                                                       const warp_operation& operation) {
  fail(self, "calls %s with mask 0x%08x at %s:%d while lane %u waits in %s with mask 0x%08x at %s:%d", name_of(kind),
       mask, where.file_name(), where.line, operation.first_lane, name_of(operation.kind), operation.mask,
       operation.where.file_name(), operation.where.line);
}

// Gives each lane that arrived its result, makes it ready, and forgets the operation.
inline void complete_operation(warp_state& warp, warp_operation& operation) {
  unsigned votes = 0;
  for (unsigned rest = operation.arrived; rest != 0; rest &= rest - 1) {
    votes |= warp.threads[__builtin_ctz(rest)].votes << __builtin_ctz(rest);
  }
  const bool exchanges = operation.kind <= warp_kind::shuffle_down;
  for (unsigned rest = operation.arrived; rest != 0; rest &= rest - 1) {
    thread_state& thread = warp.threads[__builtin_ctz(rest)];
    if (exchanges) {
      if ((operation.arrived >> thread.source_lane & 1) == 0) fail_absent_source(thread, operation);
      std::memcpy(thread.result, warp.threads[thread.source_lane].value, sizeof(thread.result));
    }
    thread.race_object = operation.race_object;
  }
  for (unsigned rest = operation.arrived; rest != 0; rest &= rest - 1) {
    thread_state& thread = warp.threads[__builtin_ctz(rest)];
    thread.votes = votes;
    thread.owner->make_ready(thread);
  }
  operation = warp.operations[--warp.pending_operations];
}

// `gone` has exited: operations that waited for it alone complete.
inline void complete_without(const thread_state& gone) {
  warp_state& warp = *gone.warp;
  for (int i = 0; i < warp.pending_operations;) {
    warp_operation& operation = warp.operations[i];
    if (operation.arrived == (operation.mask & warp.exists & ~warp.exited)) {
      complete_operation(warp, operation);  // puts another one in its place
    } else {
      ++i;
    }
  }
}

// The pending operation that a call belongs to, or null if it begins one. A lane may well do something with others
// before it joins those who wait for it, but not with one of them: that can never end.
inline warp_operation* find_operation(const thread_state& self, warp_kind kind, unsigned mask, const call_site& where) {
  warp_state& warp = *self.warp;
  warp_operation* found = nullptr;
  for (int i = 0; i < warp.pending_operations; ++i) {
    warp_operation& pending = warp.operations[i];
    if (pending.mask == mask && pending.kind == kind && pending.where == where) {
      found = &pending;
    } else if ((pending.mask >> self.lane & 1) != 0 && (pending.arrived & mask) != 0) {
      fail_mismatch(self, kind, mask, where, pending);
    }
  }
  return found;
}

// The calling lane takes part in an operation of `mask`. Its value, source lane and vote are in its state; so are the
// results on return.
inline void take_part(thread_state& self, warp_kind kind, unsigned mask, const call_site& where) {
  warp_state& warp = *self.warp;
  const unsigned own = 1u << self.lane;
  if ((mask & own) == 0) {
    fail(self, "calls %s at %s:%d but is not named in its own mask 0x%08x", name_of(kind), where.file_name(),
         where.line, mask);
  }
  warp_operation* operation = find_operation(self, kind, mask, where);
  if (operation == nullptr) {
    operation = &warp.operations[warp.pending_operations++];
    *operation = warp_operation{mask, 0, kind, self.lane, where, nullptr};
    if (kind == warp_kind::sync_warp) operation->race_object = self.owner->new_race_object();
  }
  operation->arrived |= own;
  self.status = thread_status::in_warp_operation;
  self.waits_in = name_of(kind);
  self.mask = mask;
  self.where = where;
  if (kind == warp_kind::sync_warp) race_release(operation->race_object);
  if (operation->arrived == (mask & warp.exists & ~warp.exited)) complete_operation(warp, *operation);
  self.owner->suspend(self);
  if (kind == warp_kind::sync_warp) race_acquire(self.race_object);
}

template <class T>
T exchange(warp_kind kind, const T& value, unsigned source_lane, unsigned mask, const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  T result = value;
  std::memcpy(self.value, &value, sizeof(T));
  self.source_lane = source_lane;
  take_part(self, kind, mask, where);
  std::memcpy(static_cast<void*>(&result), self.result, sizeof(T));
  return result;
}

// The predicates of the lanes of the mask, lane i at bit i.
inline unsigned vote(warp_kind kind, bool predicate, unsigned mask, const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  self.votes = predicate ? 1 : 0;
  take_part(self, kind, mask, where);
  return self.votes;
}

inline void sync_warp(unsigned mask, const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  self.votes = 0;
  take_part(self, warp_kind::sync_warp, mask, where);
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

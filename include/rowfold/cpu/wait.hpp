// SPDX-License-Identifier: MIT
// Waiting for something that is neither a barrier nor a warp operation, such as an mbarrier's phase.
//
// wait_until sleeps until a condition holds. The condition is looked at when the wait begins and whenever somebody
// calls notify with the same key, so whoever changes what a condition reads must notify. yield is for polling loops.
// Both are told apart from a hang: if no thread can run and no asynchronous operation is left to complete, the launch
// fails and says who waits where.
#pragma once

#include "rowfold/cpu/worker.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// Looks again at the conditions of all threads of the cluster that wait with this key.
inline void notify(worker& owner, const void* key) {
  auto& waiting = owner.cluster().waiting;
  for (std::size_t i = 0; i < waiting.size();) {
    thread_state& thread = *waiting[i];
    if (thread.condition.key != key || !thread.condition.holds(thread.condition.context)) {
      ++i;
      continue;
    }
    waiting[i] = waiting.back();
    waiting.pop_back();
    owner.make_ready(thread);
  }
}

// Blocks the running CUDA thread until `holds()` is true. `what` names the wait in a stall report.
template <class Condition>
void wait_until(const void* key, const char* what, const call_site& where, Condition&& holds) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  if (holds()) return;
  const auto call = [](void* context) { return static_cast<bool>((*static_cast<decltype(&holds)>(context))()); };
  self.condition = wait_condition{key, call, const_cast<void*>(static_cast<const void*>(&holds))};
  self.status = thread_status::waiting;
  self.waits_in = what;
  self.where = where;
  self.owner->cluster().waiting.push_back(&self);
  self.owner->suspend(self);
}

// Lets every other thread that can run do so first. For the failing branch of a polling loop.
inline void yield(const char* what, const call_site& where) {
  thread_state& self = current_thread();
  ignore_races scope(*self.on);
  self.waits_in = what;
  self.where = where;
  self.owner->yield(self);
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// A fiber: a stack and the point where it left off, with the sanitizers told of every switch.
//
// Uses Boost.Context's jump_fcontext. The public boost::context::fiber would unwind a suspended stack on destruction by
// throwing through it, but a kernel that is abandoned after an error must not be thrown through (its functions may be
// noexcept); with a bare context an abandoned stack is simply used again.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

#include "rowfold/cpu/sanitizer.hpp"
#include "rowfold/cpu/stack.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// Also stands for the host thread's own stack, which the launch starts from and returns to.
struct fiber {
  boost::context::detail::fcontext_t resume_point = nullptr;
  const void* stack_bottom = nullptr;  // what AddressSanitizer must hear when this fiber is entered
  std::size_t stack_size = 0;
  void* fake_stack = nullptr;    // AddressSanitizer's, for its detection of use after return
  void* race_context = nullptr;  // ThreadSanitizer's fiber
  int ignoring_races = 0;        // depth of ignore_races scopes
};

class pooled_fiber : public fiber {
 public:
  pooled_fiber() = default;
  pooled_fiber(const pooled_fiber&) = delete;
  pooled_fiber& operator=(const pooled_fiber&) = delete;
  ~pooled_fiber() { destroy_race_context(); }

  // Makes the next switch to the fiber enter `entry`, whatever was on its stack before. False: no memory. Call it from
  // the host thread's stack: creating a race context orders what came before it on the creating fiber.
  bool prepare(void (*entry)(boost::context::detail::transfer_t)) {
    if (stack_bottom == nullptr) {
      if (!stack_.map()) return false;
      stack_bottom = stack_.bottom();
      stack_size = stack_bytes;
    }
    unpoison(stack_bottom, stack_size);  // abandoned frames leave their red zones behind
    resume_point = boost::context::detail::make_fcontext(stack_.top(), stack_bytes, entry);
    fake_stack = nullptr;
    destroy_race_context();
#if defined(__SANITIZE_THREAD__)
    race_context = __tsan_create_fiber(0);
#endif
    return true;
  }

 private:
  // What the fiber did is ordered before what the caller does next, as joining a thread would. The fiber may have been
  // left within the executor; ThreadSanitizer refuses to end one that still ignores.
  void destroy_race_context() {
#if defined(__SANITIZE_THREAD__)
    if (race_context == nullptr) return;
    void* const own = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(race_context, __tsan_switch_to_fiber_no_sync);
    int depth = ignoring_races;
    ignoring_races = 0;
    for (; depth > 0; --depth) end_ignoring_races();
    race_release(this);
    __tsan_switch_to_fiber(own, __tsan_switch_to_fiber_no_sync);
    race_acquire(this);
    __tsan_destroy_fiber(race_context);
#endif
    race_context = nullptr;
  }

  stack stack_;
};

// The first thing a fiber does when it runs (again): takes note of where the fiber that switched to it has stopped.
inline void arrive(fiber& self, boost::context::detail::transfer_t from) {
  fiber& left = *static_cast<fiber*>(from.data);
  left.resume_point = from.fctx;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(self.fake_stack, &left.stack_bottom, &left.stack_size);
#else
  (void)self;
#endif
}

// Leaves `self`, which is running, for `next`; returns when some fiber switches back. `for_good`: it never will.
inline void switch_fiber(fiber& self, fiber& next, bool for_good = false) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(for_good ? nullptr : &self.fake_stack, next.stack_bottom, next.stack_size);
#else
  (void)for_good;
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(next.race_context, __tsan_switch_to_fiber_no_sync);
#endif
  arrive(self, boost::context::detail::jump_fcontext(next.resume_point, &self));
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

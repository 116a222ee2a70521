// SPDX-License-Identifier: MIT
// The executor's side of asynchronous copies: what it calls so that they complete as late, or as oddly, as they may.
#pragma once

#include "rowfold/cpu/schedule.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

// Owns the operations in flight of one cluster. attach() it (worker.hpp) when the first is issued; it is detached when
// the cluster has ended. All calls come on the host thread that runs the cluster. A call that completes something which
// threads may wait for calls notify() (wait.hpp).
class async_agent {
 public:
  virtual ~async_agent() = default;

  // No thread can run: completes at least one operation and returns true, or returns false if none is in flight. May be
  // called on a kernel's stack, so it must be shallow and must not wait.
  virtual bool complete_one() = 0;

  // Called whenever the next thread is chosen under the shuffle schedule: may complete operations, drawing from
  // `random`.
  virtual void at_schedule(random_source& random) = 0;

  // All threads of the cluster have exited. Returns null, or what the kernel left undone (a sentence without its full
  // stop), which becomes the launch's error.
  virtual const char* at_end() = 0;

  // The cluster has ended or failed: forget everything.
  virtual void reset() = 0;
};

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

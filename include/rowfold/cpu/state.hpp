// SPDX-License-Identifier: MIT
// What the executor keeps of a running cluster: its threads, warps and blocks. Plain data; worker.hpp schedules it, the
// files beside it implement the primitives on it.
#pragma once

#include <vector>

#include "rowfold/cpu/call_site.hpp"
#include "rowfold/cpu/fiber.hpp"
#include "rowfold/cpu/shared_arena.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

class worker;
struct warp_state;
struct block_state;

constexpr int lanes_per_warp = 32;

enum class thread_status : unsigned char {
  runnable,           // in the ready set or running
  yielded,            // gave way to others, runs again when all that could run have run
  in_warp_operation,  // waits for the other lanes of its mask
  at_barrier,         // waits for its block, or the threads of a named barrier
  at_cluster_barrier,
  waiting,  // for a condition: see wait.hpp
  exited,
};

struct wait_condition {
  const void* key = nullptr;  // notify(key) looks at the condition again
  bool (*holds)(void* context) = nullptr;
  void* context = nullptr;
};

struct thread_state {
  // Constant during a launch; kernels read these.
  unsigned rank = 0;  // in the block
  unsigned lane = 0;
  block_state* block = nullptr;
  warp_state* warp = nullptr;
  worker* owner = nullptr;

  pooled_fiber* on = nullptr;  // null until it first runs
  thread_status status = thread_status::runnable;
  const char* waits_in = "";    // of what the waiting thread waits in, for messages
  unsigned mask = 0;            // of the warp operation it waits in
  call_site where;              // of what it waits in
  void* race_object = nullptr;  // of the barrier that released it
  wait_condition condition;

  // Exchange of a warp operation.
  alignas(16) unsigned char value[16] = {};
  alignas(16) unsigned char result[16] = {};
  unsigned source_lane = 0;
  unsigned votes = 0;  // in: this lane's predicate; out: everybody's

  bool arrived_at_cluster = false;  // between cluster_arrive and cluster_wait
  unsigned cluster_phase = 0;       // the phase it arrived in
  void* cluster_race_object = nullptr;
  call_site arrived_where;
};

// The primitives that a warp executes together.
enum class warp_kind : unsigned char { shuffle, shuffle_xor, shuffle_up, shuffle_down, ballot, any, all, sync_warp };

inline const char* name_of(warp_kind kind) {
  constexpr const char* names[] = {"shuffle", "shuffle_xor", "shuffle_up", "shuffle_down",
                                   "ballot",  "any",         "all",        "sync_warp"};
  return names[static_cast<int>(kind)];
}

// A warp operation that has begun: lanes of `mask` still to come.
struct warp_operation {
  unsigned mask = 0;
  unsigned arrived = 0;
  warp_kind kind = warp_kind::sync_warp;
  unsigned first_lane = 0;  // whose call is at `where`
  call_site where;
  void* race_object = nullptr;
};

struct warp_state {
  thread_state* threads = nullptr;  // of lane 0
  int index = 0;                    // in the cluster
  unsigned exists = 0;              // lanes of this warp within the block
  unsigned exited = 0;
  int pending_operations = 0;
  warp_operation operations[lanes_per_warp];  // the pending ones; each has a lane that waits in it
};

struct barrier_state {
  unsigned expected = 0;
  unsigned arrived = 0;
  unsigned first_thread = 0;  // whose call is at `where`
  call_site where;
  void* race_object = nullptr;
  unsigned waiting[lanes_per_warp] = {};  // lanes, by warp of the block
};

constexpr unsigned barriers_per_block = 16;

struct block_state {
  unsigned rank = 0;  // in the grid
  unsigned rank_in_cluster = 0;
  thread_state* threads = nullptr;
  warp_state* warps = nullptr;
  unsigned exited = 0;
  unsigned first_exited = 0;
  barrier_state barriers[barriers_per_block];  // 0 is the whole block's
  shared_arena shared;
};

struct cluster_barrier_state {
  unsigned arrived = 0;
  unsigned phase = 0;
  void* race_object = nullptr;
};

struct cluster_state {
  std::vector<block_state> blocks;
  std::vector<warp_state> warps;
  std::vector<thread_state> threads;
  cluster_barrier_state barrier;
  unsigned exited = 0;
  std::vector<thread_state*> yielded;
  std::vector<thread_state*> waiting;  // for a condition
};

// The CUDA thread whose kernel code runs now on this host thread; null outside kernels.
inline thread_local thread_state* running_thread = nullptr;

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

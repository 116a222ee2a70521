// SPDX-License-Identifier: MIT
// Asynchronous copies of the CPU back end: noted when they are issued, made as late as they may be.
//
// A copy that completes on an mbarrier is made when no thread can run otherwise, one copy at a time, the oldest first
// (under the schedules that run backwards the newest first); a copy of a group when its thread waits for the group.
// Under the shuffle schedule any copy may also be made at any switch between threads. So a kernel that does not wait,
// or waits for the wrong phase or group, sees what was there before: in fresh shared memory NaN.
//
// The sanitizers see a copy's accesses as its thread's own, where it was issued.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "rowfold/cpu/executor.hpp"
#include "rowfold/cpu/mbarrier.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace cpu {

enum class copy_kind : unsigned char {
  group_load,    // global to shared, in a group of its thread
  bulk_load,     // global to shared, completes on an mbarrier
  bulk_store,    // shared to global, in a group of its thread
  remote_store,  // a value to another block's shared memory, completes on an mbarrier there
};

inline const char* name_of(copy_kind kind) {
  constexpr const char* names[] = {"copy_async", "bulk_load", "bulk_store", "store_async"};
  return names[static_cast<int>(kind)];
}

struct async_copy {
  copy_kind kind = copy_kind::group_load;
  const thread_state* issuer = nullptr;
  const block_state* block = nullptr;  // whose shared memory it reads or writes
  const void* source = nullptr;
  void* target = nullptr;
  unsigned bytes = 0;
  void* barrier = nullptr;  // on which it completes; null: it belongs to a group
  call_site where;
  std::uint64_t group = ~std::uint64_t{0};  // number among its thread's groups; at first none
  bool has_read = false;                    // the source's bytes are in `held`
  std::vector<unsigned char> held;
};

// The copies in flight of the cluster that runs on this host thread.
class async_copies final : public async_agent {
 public:
  void issue(const async_copy& copy) {
    open(*copy.issuer);
    list_of(copy).push_back(copy);
  }
  // The same for a source that is a value of the caller's: it is read now.
  void issue_value(const async_copy& copy) {
    issue(copy);
    read(list_of(copy).back());
  }

  // The thread's copies since its last commit are a group, perhaps an empty one.
  void commit(const thread_state& thread, copy_kind kind) {
    open(thread);
    thread_groups& own = groups_of(thread, kind);
    for (std::size_t i = own.copies.size(); i > 0 && own.copies[i - 1].group == no_group; --i) {
      own.copies[i - 1].group = own.committed;
    }
    ++own.committed;
  }

  // Completes all groups of the thread but the `most_pending` newest; `read_only`: only reads their sources.
  void wait(const thread_state& thread, copy_kind kind, unsigned most_pending, bool read_only) {
    open(thread);
    thread_groups& own = groups_of(thread, kind);
    if (own.committed <= most_pending) return;
    const std::uint64_t pending_from = own.committed - most_pending;
    std::size_t waited = 0;
    for (; waited < own.copies.size() && own.copies[waited].group < pending_from; ++waited) {
      if (read_only) {
        read(own.copies[waited]);
      } else {
        finish(own.copies[waited]);
      }
    }
    if (!read_only) own.copies.erase(own.copies.begin(), own.copies.begin() + static_cast<std::ptrdiff_t>(waited));
  }

  bool complete_one() override {
    if (copies_.empty()) return false;
    complete(copies_, newest_first_ ? copies_.size() - 1 : 0);
    return true;
  }

  // One switch in eight: between two waits of a small block some copies complete and others do not.
  void at_schedule(random_source& random) override {
    if (!open_ || random.below(8) != 0) return;
    const unsigned lists = static_cast<unsigned>(groups_.size());
    const unsigned chosen = random.below(lists + 1);
    std::vector<async_copy>& copies = chosen == lists ? copies_ : groups_[chosen].copies;
    if (!copies.empty()) complete(copies, random.below(static_cast<unsigned>(copies.size())));
  }

  // A bulk store whose source has been read may outlive its thread; it ends with the grid.
  const char* at_end() override {
    for (thread_groups& each : groups_) {
      for (async_copy& copy : each.copies) {
        if (copy.kind != copy_kind::bulk_store || !copy.has_read) return undone(copy);
        finish(copy);
      }
      each.copies.clear();
    }
    return copies_.empty() ? nullptr : undone(copies_.front());
  }

  void reset() override {
    copies_.clear();
    groups_.clear();
    open_ = false;
  }

 private:
  static constexpr std::uint64_t no_group = ~std::uint64_t{0};

  // The copies of one thread that belong to groups, in the order of issue.
  struct thread_groups {
    std::uint64_t committed = 0;
    std::vector<async_copy> copies;
  };

  const char* undone(const async_copy& copy) {
    std::snprintf(undone_, sizeof(undone_), "thread %u of block %u ended with its %s at %s:%d in flight",
                  copy.issuer->rank, copy.issuer->block->rank, name_of(copy.kind), copy.where.file_name(),
                  copy.where.line);
    return undone_;
  }

  void open(const thread_state& thread) {
    if (open_) return;
    open_ = true;
    const schedule::order order = current_schedule().kind;
    newest_first_ = order == schedule::order::reverse || order == schedule::order::greedy_down;
    groups_.assign(2 * thread.owner->cluster().threads.size(), {});
    thread.owner->attach(*this);
  }

  thread_groups& groups_of(const thread_state& thread, copy_kind kind) {
    const auto place = static_cast<std::size_t>(&thread - thread.owner->cluster().threads.data());
    return groups_[2 * place + (kind == copy_kind::bulk_store ? 1 : 0)];
  }

  // Copies that complete on an mbarrier are in one list, in the order of issue.
  std::vector<async_copy>& list_of(const async_copy& copy) {
    return copy.barrier != nullptr ? copies_ : groups_of(*copy.issuer, copy.kind).copies;
  }

  // Nothing here may leave memory of its own on the stack: a failure abandons it.
  void read(async_copy& copy) {
    if (copy.has_read) return;
    const auto* const begin = static_cast<const unsigned char*>(copy.source);
    if (copy.kind == copy_kind::bulk_store) require_running_block(copy);
    copy.held.assign(begin, begin + copy.bytes);
    copy.has_read = true;
  }

  void complete(std::vector<async_copy>& copies, std::size_t place) {
    finish(copies[place]);
    copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(place));
  }

  void finish(async_copy& copy) {
    read(copy);
    if (copy.kind != copy_kind::bulk_store) require_running_block(copy);
    if (copy.bytes > 0) std::memcpy(copy.target, copy.held.data(), copy.bytes);
    if (copy.barrier != nullptr) {
      mbarrier_complete_bytes(*copy.issuer, copy.barrier, copy.bytes, name_of(copy.kind), copy.where);
    }
  }

  static void require_running_block(const async_copy& copy) {
    const worker& owner = *copy.issuer->owner;
    if (copy.block->exited < owner.current_grid().block_threads) return;
    fail(*copy.issuer, "has its %s at %s:%d in flight, but block %u, whose shared memory it needs, has exited",
         name_of(copy.kind), copy.where.file_name(), copy.where.line, copy.block->rank);
  }

  std::vector<async_copy> copies_;     // on mbarriers
  std::vector<thread_groups> groups_;  // loads and stores of each thread of the cluster
  bool open_ = false;
  bool newest_first_ = false;
  char undone_[256] = {};
};

inline async_copies& this_async_copies() {
  static thread_local async_copies own;
  return own;
}

}  // namespace cpu
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

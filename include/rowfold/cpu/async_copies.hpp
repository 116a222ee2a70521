// SPDX-License-Identifier: MIT
// Asynchronous copies of the CPU back end: noted when they are issued, made as late as they may be.
//
// A copy that completes on an mbarrier is made when no thread can run otherwise, one copy at a time, the oldest first
// (under the schedules that run backwards the newest first); a copy of a group when its thread waits for the group. Under
// the shuffle schedule any copy may also be made at any switch between threads. So a kernel that does not wait, or waits
// for the wrong phase or group, sees what was there before: in fresh shared memory NaN.
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
    copies_.push_back(copy);
  }
  // The same for a source that is a value of the caller's: it is read now.
  void issue_value(const async_copy& copy) {
    issue(copy);
    read(copies_.back());
  }

  // The thread's copies since its last commit are a group, perhaps an empty one.
  void commit(const thread_state& thread, copy_kind kind) {
    open(thread);
    const std::uint64_t group = groups_of(thread, kind)++;
    for (async_copy& copy : copies_) {
      if (copy.issuer == &thread && copy.kind == kind && copy.group == ~std::uint64_t{0}) copy.group = group;
    }
  }

  // Completes all groups of the thread but the `most_pending` newest; `read_only`: only reads their sources.
  void wait(const thread_state& thread, copy_kind kind, unsigned most_pending, bool read_only) {
    open(thread);
    const std::uint64_t groups = groups_of(thread, kind);
    if (groups <= most_pending) return;
    for (std::size_t i = 0; i < copies_.size();) {
      async_copy& copy = copies_[i];
      if (copy.issuer != &thread || copy.kind != kind || copy.group >= groups - most_pending) {
        ++i;
      } else if (read_only) {
        read(copy);
        ++i;
      } else {
        complete(i);
      }
    }
  }

  bool complete_one() override {
    const std::size_t count = copies_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = newest_first_ ? count - 1 - i : i;
      if (copies_[place].barrier == nullptr) continue;
      complete(place);
      return true;
    }
    return false;
  }

  // One switch in eight: between two waits of a small block some copies complete and others do not.
  void at_schedule(random_source& random) override {
    if (copies_.empty() || random.below(8) != 0) return;
    complete(random.below(static_cast<unsigned>(copies_.size())));
  }

  // A bulk store whose source has been read may outlive its thread; it ends with the grid.
  const char* at_end() override {
    for (std::size_t i = 0; i < copies_.size();) {
      const async_copy& copy = copies_[i];
      if (copy.kind == copy_kind::bulk_store && copy.has_read) {
        complete(i);
        continue;
      }
      std::snprintf(undone_, sizeof(undone_), "thread %u of block %u ended with its %s at %s:%d in flight",
                    copy.issuer->rank, copy.issuer->block->rank, name_of(copy.kind), copy.where.file_name(),
                    copy.where.line);
      return undone_;
    }
    return nullptr;
  }

  void reset() override {
    copies_.clear();
    groups_.clear();
    open_ = false;
  }

 private:
  void open(const thread_state& thread) {
    if (open_) return;
    open_ = true;
    const schedule::order order = current_schedule().kind;
    newest_first_ = order == schedule::order::reverse || order == schedule::order::greedy_down;
    groups_.assign(2 * thread.owner->cluster().threads.size(), 0);
    thread.owner->attach(*this);
  }

  // How many groups the thread has committed.
  std::uint64_t& groups_of(const thread_state& thread, copy_kind kind) {
    const auto place = static_cast<std::size_t>(&thread - thread.owner->cluster().threads.data());
    return groups_[2 * place + (kind == copy_kind::bulk_store ? 1 : 0)];
  }

  // Nothing here may leave memory of its own on the stack: a failure abandons it.
  void read(async_copy& copy) {
    if (copy.has_read) return;
    const auto* const begin = static_cast<const unsigned char*>(copy.source);
    if (copy.kind == copy_kind::bulk_store) require_running_block(copy);
    copy.held.assign(begin, begin + copy.bytes);
    copy.has_read = true;
  }

  void complete(std::size_t place) {
    async_copy& copy = copies_[place];
    read(copy);
    if (copy.kind != copy_kind::bulk_store) require_running_block(copy);
    if (copy.bytes > 0) std::memcpy(copy.target, copy.held.data(), copy.bytes);
    if (copy.barrier != nullptr) {
      mbarrier_complete_bytes(*copy.issuer, copy.barrier, copy.bytes, name_of(copy.kind), copy.where);
    }
    copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  static void require_running_block(const async_copy& copy) {
    const worker& owner = *copy.issuer->owner;
    if (copy.block->exited < owner.current_grid().block_threads) return;
    fail(*copy.issuer, "has its %s at %s:%d in flight, but block %u, whose shared memory it needs, has exited",
         name_of(copy.kind), copy.where.file_name(), copy.where.line, copy.block->rank);
  }

  std::vector<async_copy> copies_;     // in the order of issue
  std::vector<std::uint64_t> groups_;  // committed so far, two counts per thread of the cluster
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

// SPDX-License-Identifier: MIT
// When asynchronous copies are made: as late as they may be, so that a kernel that does not wait shows wrong data;
// under shuffle at some moment in between. And what they count as traffic.
#include <string>
#include <vector>

#include "cpu/broken.hpp"
#include "rowfold/ptx/async_copy.cuh"
#include "rowfold/ptx/bulk_copy.cuh"
#include "rowfold/ptx/store_async.cuh"

using namespace rowfold_test;
namespace ptx = rowfold::ptx;

namespace {

struct layout {
  alignas(16) int values[8];
  ptx::mbarrier barriers[2];
};
struct alignas(16) numbers {
  int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
};
constexpr int poison = -1;  // what fresh shared memory holds

// What the threads of a block see of values[3] (4 once the copy is made) before and after the kernel's wait.
struct sightings {
  bool early = false, late = false, after = true;
  void before_wait(int value) { (value == poison ? late : early) = true; }
  void after_wait(int value) { after = after && value == 4; }
};

// All threads of both blocks of a cluster look, then wait for the copy of their block's thread 0.
template <class Issue, class Wait>
sightings look(const Issue& issue, const Wait& wait) {
  sightings seen;
  const auto body = [&] {
    layout& shared = simt::shared<layout>();
    if (simt::thread_rank() == 0) {
      shared.barriers[0].init(1);
      issue(shared);
    }
    simt::sync_block();  // orders init before the waits below; not the copy
    simt::sync_block();
    seen.before_wait(shared.values[3]);
    simt::sync_block();  // all have looked
    wait(shared);
    simt::sync_block();  // orders the copy that thread 0 has waited for before the reads below
    seen.after_wait(shared.values[3]);
  };
  INFO(cpu::last_error());
  CHECK(run_kernel({4, 2, sizeof(layout), 2}, body) == cudaSuccess);
  return seen;
}

sightings look_at_bulk_load() {
  const numbers in;
  const auto issue = [&](layout& shared) {
    shared.barriers[0].arrive_expect_bytes(32);
    ptx::bulk_load(shared.values, in.values, 32, shared.barriers[0]);
  };
  return look(issue, [](layout& shared) { shared.barriers[0].wait(0); });
}

sightings look_at_group() {
  const numbers in;
  const auto issue = [&](layout& shared) {
    ptx::copy_async<16>(shared.values, in.values);
    ptx::commit_copies();
  };
  return look(issue, [](layout&) { ptx::wait_copies<0>(); });
}

sightings look_at_store() {
  const auto issue = [](layout& shared) {
    shared.barriers[0].arrive_expect_bytes(4);
    ptx::store_async(&shared.values[3], 4, shared.barriers[0], simt::cluster_rank());
  };
  return look(issue, [](layout& shared) { shared.barriers[0].wait<ptx::wait_scope::cluster>(0); });
}

bool shuffled(const named_schedule& each) { return each.order.kind == cpu::schedule::order::shuffle; }

}  // namespace

TEST_CASE("before the wait a copy has not been made, after it it has") {
  sightings (*const all[])() = {look_at_bulk_load, look_at_group, look_at_store};
  for (auto* const each_look : all) {
    bool early = false, late = false;
    for (const named_schedule& each : all_schedules()) {
      CAPTURE(each.name);
      const under schedule(each.order);
      const sightings seen = each_look();
      CHECK(seen.after);
      CHECK((shuffled(each) || (seen.late && !seen.early)));
    }
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const under schedule(cpu::schedule::shuffle(seed));
      const sightings seen = each_look();
      CHECK(seen.after);
      early = early || seen.early;
      late = late || seen.late;
    }
    CHECK(early);
    CHECK(late);
  }
}

TEST_CASE("a wait for the parity that a new mbarrier has behind it sees nothing of the copy") {
  const under schedule(cpu::schedule::forward());
  const numbers in;
  int seen = 0;
  CHECK(run_kernel({1, 1, sizeof(layout)}, [&] {
          layout& shared = simt::shared<layout>();
          shared.barriers[0].init(1);
          shared.barriers[0].arrive_expect_bytes(32);
          ptx::bulk_load(shared.values, in.values, 32, shared.barriers[0]);
          shared.barriers[0].wait(1);  // 0 would be right
          seen = shared.values[3];
          shared.barriers[0].wait(0);
        }) == cudaSuccess);
  CHECK(seen == poison);
}

TEST_CASE("wait_copies leaves the newest groups in flight") {
  const under schedule(cpu::schedule::forward());
  const numbers in;
  std::vector<int> seen;
  CHECK(run_kernel({1, 1, sizeof(layout)}, [&] {
          layout& shared = simt::shared<layout>();
          const auto note = [&] { seen.insert(seen.end(), {shared.values[0], shared.values[4]}); };
          ptx::copy_async<16>(shared.values, in.values);
          ptx::commit_copies();
          ptx::copy_async<16>(shared.values + 4, in.values + 4);
          ptx::commit_copies();
          ptx::wait_copies<2>();
          note();
          ptx::wait_copies<1>();
          note();
          ptx::commit_copies();  // an empty group counts: the two copies are now the second and third newest
          ptx::wait_copies<1>();
          note();
        }) == cudaSuccess);
  CHECK(seen == std::vector<int>{poison, poison, 1, poison, 1, 5});
}

TEST_CASE("of two copies one may be there and the other not; which, depends on the schedule") {
  for (const bool backwards : {false, true}) {
    CAPTURE(backwards);
    const under schedule(backwards ? cpu::schedule::reverse() : cpu::schedule::forward());
    const numbers in;
    int other = 0;
    CHECK(run_kernel({1, 1, sizeof(layout)}, [&] {
            layout& shared = simt::shared<layout>();
            for (int i = 0; i < 2; ++i) {
              shared.barriers[i].init(1);
              shared.barriers[i].arrive_expect_bytes(16);
              ptx::bulk_load(shared.values + 4 * i, in.values, 16, shared.barriers[i]);
            }
            const int first = backwards ? 1 : 0;
            shared.barriers[first].wait(0);
            other = shared.values[4 * (1 - first)];
            shared.barriers[1 - first].wait(0);
          }) == cudaSuccess);
    CHECK(other == poison);
  }
}

TEST_CASE("a bulk store reads at wait_read and writes at wait") {
  const under schedule(cpu::schedule::forward());
  for (const bool wait_read : {false, true}) {
    CAPTURE(wait_read);
    numbers out;
    int before = 0, after_read = 0;
    CHECK(run_kernel({1, 1, sizeof(layout)}, [&] {
            layout& shared = simt::shared<layout>();
            for (int i = 0; i < 8; ++i) shared.values[i] = 10 + i;
            ptx::bulk_store(out.values, shared.values, 32);
            ptx::commit_bulk_stores();
            before = out.values[2];
            if (wait_read) ptx::wait_bulk_stores_read<0>();
            after_read = out.values[2];
            shared.values[2] = 99;  // too early without wait_read
            ptx::wait_bulk_stores<0>();
          }) == cudaSuccess);
    CHECK(before == 3);
    CHECK(after_read == 3);
    CHECK(out.values[2] == (wait_read ? 12 : 99));
    CHECK(out.values[7] == 17);
  }
}

TEST_CASE("asynchronous copies count as traffic") {
  numbers in, out;
  const cpu::watched_range loads(in.values, sizeof(in)), stores(out.values, sizeof(out));
  CHECK(run_kernel({1, 3, sizeof(layout)}, [&] {
          layout& shared = simt::shared<layout>();
          shared.barriers[0].init(1);
          shared.barriers[0].arrive_expect_bytes(32);
          ptx::bulk_load(shared.values, in.values, 32, shared.barriers[0]);
          shared.barriers[0].wait(0);
          ptx::copy_async<16>(shared.values, in.values + 4);
          ptx::commit_copies();
          ptx::wait_copies<0>();
          ptx::bulk_store(out.values, shared.values, 16);
          ptx::commit_bulk_stores();
          ptx::wait_bulk_stores<0>();
        }) == cudaSuccess);
  CHECK(loads.loaded_bytes() == 3 * 48);
  CHECK(loads.stored_bytes() == 0);
  CHECK(stores.stored_bytes() == 3 * 16);
  CHECK(stores.loaded_bytes() == 0);
}

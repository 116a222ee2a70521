// SPDX-License-Identifier: MIT
// Wrong use of mbarriers and asynchronous copies: each fails the launch with a sentence.
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
  ptx::mbarrier barrier;
  ptx::mbarrier never_initialised;
  int last[2];
};
static_assert(sizeof(layout) == 64, "the texts below name offsets");
const shape one{1, 1, sizeof(layout)};
const shape pair{1, 2, sizeof(layout), 2};

const std::string thread_0 = "block 0 thread 0 (warp 0 lane 0) ";

std::string here(int line) { return at("async_misuse_cpu_test.cpp", line); }
std::string mbarrier_at(int line, int offset, int block = 0) {
  return " at " + here(line) + ", but the mbarrier at byte " + std::to_string(offset) + " of block " +
         std::to_string(block) + "'s shared memory ";
}

// Runs `use` in one thread of each block, with an mbarrier of `count` arrivals; returns the error.
template <class Use>
std::string failure_with(unsigned count, const Use& use, const shape& size = one) {
  const under schedule(cpu::schedule::forward());
  return failure_of(size, [&] {
    layout& shared = simt::shared<layout>();
    shared.barrier.init(count);
    use(shared);
  });
}

// 16-byte aligned global memory.
struct alignas(16) numbers {
  int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
};

}  // namespace

TEST_CASE("a wait for a phase that never ends") {
  for (const named_schedule& each : all_schedules()) {
    CAPTURE(each.name);
    const under schedule(each.order);
    int line = 0;
    const auto body = [&] {
      layout& shared = simt::shared<layout>();
      if (simt::thread_rank() == 0) shared.barrier.init(2);
      simt::sync_block();  // orders init before the uses below
      if (simt::thread_rank() == 5) return shared.barrier.arrive();
      line = __LINE__, shared.barrier.wait(0);
    };
    const std::string text = failure_of({8, 1, sizeof(layout)}, body);
    CHECK(text == "no thread can run any more; block 0: threads 0-4,6-7 wait in an mbarrier wait for parity 0 at " +
                      here(line) + "; threads 5 have exited");
  }
}

TEST_CASE("a wait for the wrong parity stalls though the copy comes, asleep or polling") {
  for (const bool poll : {false, true}) {
    CAPTURE(poll);
    int line = 0;
    numbers in;
    const std::string text = failure_with(1, [&](layout& shared) {
      shared.barrier.arrive_expect_bytes(32);
      ptx::bulk_load(shared.values, in.values, 32, shared.barrier);
      shared.barrier.wait(0);
      shared.barrier.arrive_expect_bytes(32);
      ptx::bulk_load(shared.values, in.values, 32, shared.barrier);
      shared.barrier.wait(1);
      if (!poll) line = __LINE__, shared.barrier.wait(0);  // that of a third phase, which nobody arrives at
      while (poll && (line = __LINE__, !shared.barrier.try_wait(0))) {
      }
    });
    CHECK(text ==
          "no thread can run any more; block 0: threads 0 wait in an mbarrier wait for parity 0 at " + here(line));
  }
}

TEST_CASE("bytes that are expected and never come") {
  int line = 0;
  numbers in;
  const std::string text = failure_with(1, [&](layout& shared) {
    shared.barrier.arrive_expect_bytes(48);
    ptx::bulk_load(shared.values, in.values, 32, shared.barrier);
    line = __LINE__, shared.barrier.wait(0);
  });
  CHECK(text ==
        "no thread can run any more; block 0: threads 0 wait in an mbarrier wait for parity 0 at " + here(line));
}

TEST_CASE("more arrivals or bytes than a phase takes") {
  int line = 0;
  std::string text = failure_with(1, [&](layout& shared) {
    shared.barrier.arrive_expect_bytes(16);
    line = __LINE__, shared.barrier.arrive();
  });
  CHECK(text ==
        thread_0 + "calls arrive" + mbarrier_at(line, 32) + "has had all 1 arrivals of its phase and waits for bytes");
  numbers in;
  text = failure_with(1, [&](layout& shared) {
    shared.barrier.arrive_expect_bytes(16);
    line = __LINE__, ptx::bulk_load(shared.values, in.values, 32, shared.barrier);
    shared.barrier.wait(0);
  });
  CHECK(text == thread_0 + "calls bulk_load" + mbarrier_at(line, 32) + "receives more bytes than its phase expects");
  text = failure_with(2, [&](layout& shared) {
    shared.barrier.arrive_expect_bytes(1 << 19);
    line = __LINE__, shared.barrier.arrive_expect_bytes(1 << 19);
  });
  CHECK(text ==
        thread_0 + "calls arrive_expect_bytes" + mbarrier_at(line, 32) + "would expect more than 1048575 bytes");
  text = failure_with(1, [&](layout& shared) { line = __LINE__, shared.barrier.arrive_expect_bytes(0x80000000u); });
  CHECK(text ==
        thread_0 + "calls arrive_expect_bytes" + mbarrier_at(line, 32) + "would expect more than 1048575 bytes");
}

TEST_CASE("an mbarrier that is not initialised, or no longer, or twice") {
  int line = 0;
  numbers in;
  const auto uninitialised = [&](const char* function, const std::string& text) {
    CHECK(text == thread_0 + "calls " + function + mbarrier_at(line, 40) + "is not initialised");
  };
  uninitialised("arrive", failure_with(1, [&](layout& s) { line = __LINE__, s.never_initialised.arrive(); }));
  uninitialised("wait", failure_with(1, [&](layout& s) { line = __LINE__, s.never_initialised.wait(0); }));
  uninitialised("wait", failure_with(1, [&](layout& s) { line = __LINE__, (void)s.never_initialised.try_wait(0); }));
  uninitialised("inval", failure_with(1, [&](layout& s) { line = __LINE__, s.never_initialised.inval(); }));
  uninitialised("bulk_load", failure_with(1, [&](layout& s) {
                  line = __LINE__, ptx::bulk_load(s.values, in.values, 32, s.never_initialised);
                }));
  const auto store = [&](layout& s) { line = __LINE__, ptx::store_async(s.values, 1, s.never_initialised, 0); };
  uninitialised("store_async", failure_with(1, store, pair));
  std::string text = failure_with(1, [&](layout& shared) {
    shared.barrier.inval();
    line = __LINE__, shared.barrier.arrive();
  });
  CHECK(text == thread_0 + "calls arrive" + mbarrier_at(line, 32) + "is not initialised");
  text = failure_with(1, [&](layout& shared) { line = __LINE__, shared.barrier.init(1); });
  CHECK(text == thread_0 + "calls init" + mbarrier_at(line, 32) + "is initialised already");
  text = failure_with(1, [&](layout& shared) {
    shared.barrier.arrive_expect_bytes(32);
    line = __LINE__, ptx::bulk_load(shared.values, in.values, 32, shared.barrier);
    shared.barrier.inval();
    shared.never_initialised.init(1);
    shared.never_initialised.wait(0);
  });
  CHECK(text == thread_0 + "calls bulk_load" + mbarrier_at(line, 32) + "is not initialised");
}

TEST_CASE("counts and parities out of range") {
  int line = 0;
  std::string text = failure_with(1, [&](layout& s) { line = __LINE__, s.never_initialised.init(0); });
  CHECK(text == thread_0 + "calls init at " + here(line) + " for 0 arrivals: an mbarrier takes 1 to 1048575");
  text = failure_with(1, [&](layout& s) { line = __LINE__, s.barrier.wait(2); });
  CHECK(text == thread_0 + "waits at " + here(line) + " for parity 2 of an mbarrier, neither 0 nor 1");
}

TEST_CASE("mbarriers of other blocks and outside shared memory") {
  const under schedule(cpu::schedule::forward());
  int line = 0;
  ptx::mbarrier elsewhere;
  std::string text = failure_with(1, [&](layout&) { line = __LINE__, elsewhere.init(1); });
  CHECK(text == thread_0 + "calls init at " + here(line) + ", but the mbarrier is not in shared memory");
  const auto body = [&] {
    layout& shared = simt::shared<layout>();
    shared.barrier.init(1);
    simt::sync_cluster();  // orders init before the other block's use below
    if (simt::cluster_rank() == 0) line = __LINE__, simt::map_shared(&shared.barrier, 1)->wait(0);
    simt::sync_cluster();
  };
  text = failure_of(pair, body);
  CHECK(text == thread_0 + "calls wait" + mbarrier_at(line, 32, 1) + "belongs to another block");
}

TEST_CASE("copies of a wrong size, alignment or place") {
  int line = 0;
  numbers in;
  std::string text =
      failure_with(1, [&](layout& s) { line = __LINE__, ptx::bulk_load(s.values, in.values, 24, s.barrier); });
  CHECK(text == thread_0 + "calls bulk_load at " + here(line) + " for 24 bytes, not a multiple of 16");
  text = failure_with(1, [&](layout& s) { line = __LINE__, ptx::bulk_load(s.values, in.values + 1, 16, s.barrier); });
  CHECK(contains(text, thread_0 + "calls bulk_load at " + here(line) + " for the address 0x"));
  CHECK(contains(text, " in global memory, not a multiple of 16"));
  text = failure_with(1, [&](layout& s) { line = __LINE__, ptx::bulk_store(in.values, s.values + 2, 16); });
  CHECK(contains(text, thread_0 + "calls bulk_store at " + here(line) + " for the address 0x"));
  CHECK(contains(text, " in shared memory, not a multiple of 16"));
  text = failure_with(1, [&](layout& s) { line = __LINE__, ptx::copy_async<16>(s.values + 1, in.values); });
  CHECK(contains(text, thread_0 + "calls copy_async at " + here(line) + " for the address 0x"));
  text = failure_with(1, [&](layout& s) { line = __LINE__, ptx::bulk_load(s.values + 4, in.values, 64, s.barrier); });
  CHECK(text ==
        thread_0 + "calls bulk_load at " + here(line) + " for 64 bytes outside its block's 64 bytes of shared memory");
  const auto store = [&](layout& s) {
    line = __LINE__, ptx::store_async(reinterpret_cast<long long*>(s.values + 1), 1ll, s.barrier, 0);
  };
  text = failure_with(1, store, pair);
  CHECK(contains(text, thread_0 + "makes a misaligned 8-byte store_async at address 0x"));
  text = failure_with(1, store);
  CHECK(text == thread_0 + "calls store_async at " + here(line) +
                    " in a launch without clusters: the hardware needs two blocks or more");
}

TEST_CASE("copies in flight at the end of a kernel") {
  int line = 0;
  numbers in;
  std::string text = failure_with(1, [&](layout& s) { line = __LINE__, ptx::copy_async<16>(s.values, in.values); });
  CHECK(text == "block 0: thread 0 of block 0 ended with its copy_async at " + here(line) + " in flight");
  text = failure_with(1, [&](layout& s) {
    line = __LINE__, ptx::copy_async<16>(s.values, in.values);
    ptx::wait_copies<0>();  // it was not committed
  });
  CHECK(text == "block 0: thread 0 of block 0 ended with its copy_async at " + here(line) + " in flight");
  text = failure_with(1, [&](layout& s) {
    s.barrier.arrive_expect_bytes(16);
    line = __LINE__, ptx::bulk_load(s.values, in.values, 16, s.barrier);
  });
  CHECK(text == "block 0: thread 0 of block 0 ended with its bulk_load at " + here(line) + " in flight");
  text = failure_with(1, [&](layout& s) {
    line = __LINE__, ptx::bulk_store(in.values, s.values, 16);
    ptx::commit_bulk_stores();
  });
  CHECK(text == "block 0: thread 0 of block 0 ended with its bulk_store at " + here(line) + " in flight");
}

TEST_CASE("a store to a block that has exited when it arrives") {
  const under schedule(cpu::schedule::forward());
  int line = 0;
  const auto body = [&] {
    layout& shared = simt::shared<layout>();
    shared.barrier.init(1);
    simt::sync_cluster();  // orders init before the other block's use below
    if (simt::cluster_rank() == 0) line = __LINE__, ptx::store_async(&shared.values[0], 5, shared.barrier, 1);
    simt::sync_cluster();  // orders nothing that is in flight
    if (simt::cluster_rank() == 0) shared.barrier.wait(0);
  };
  const std::string text = failure_of(pair, body);
  CHECK(text == thread_0 + "has its store_async at " + here(line) +
                    " in flight, but block 1, whose shared memory it needs, has exited");
}

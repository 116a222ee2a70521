// SPDX-License-Identifier: MIT
// What asynchronous primitives are built on: waiting for a condition, polling, operations that complete late, and
// telling a hang from a wait.
#include <vector>

#include "cpu/broken.hpp"

using namespace rowfold_test;
using rowfold::call_site;

namespace {

// Operations that each set a flag when they complete; the oldest first when nothing else can run.
class flag_setter final : public cpu::async_agent {
 public:
  void start(bool& flag) {
    pending_.push_back(&flag);
    cpu::current_thread().owner->attach(*this);
  }
  bool complete_one() override {
    if (pending_.empty()) return false;
    bool* const flag = pending_.front();
    pending_.erase(pending_.begin());
    *flag = true;
    cpu::notify(cpu::this_worker(), flag);
    return true;
  }
  void at_schedule(cpu::random_source& random) override {
    ++chances;
    if (eager && !pending_.empty() && random.below(4) == 0) complete_one();
  }
  const char* at_end() override { return pending_.empty() ? nullptr : "a flag was left unset"; }
  void reset() override {
    pending_.clear();
    ++resets;
  }

  bool eager = false;
  int chances = 0;
  int resets = 0;

 private:
  std::vector<bool*> pending_;
};

std::string here(int line) { return at("wait_cpu_test.cpp", line); }

}  // namespace

TEST_CASE("wait_until sleeps until somebody makes its condition true") {
  for (const named_schedule& each : all_schedules()) {
    CAPTURE(each.name);
    const under schedule(each.order);
    int arrived = 0, gone_on = 0;
    bool early = false;
    CHECK(run_kernel({64}, [&] {
            ++arrived;
            cpu::notify(*cpu::current_thread().owner, &arrived);
            cpu::wait_until(&arrived, "the test", call_site::here(), [&] { return arrived == 64; });
            early = early || arrived != 64;
            ++gone_on;
          }) == cudaSuccess);
    CHECK_FALSE(early);
    CHECK(gone_on == 64);
  }
}

TEST_CASE("notify wakes only those with its key") {
  const under schedule(cpu::schedule::forward());
  int key_a = 0, key_b = 0;
  int line = 0;
  const auto body = [&] {
    const unsigned rank = simt::thread_rank();
    if (rank == 2) {
      key_a = key_b = 1;
      cpu::notify(*cpu::current_thread().owner, &key_a);
      return;
    }
    int& key = rank == 0 ? key_a : key_b;
    const auto set = [&] { return key != 0; };
    line = __LINE__, cpu::wait_until(&key, "a forgotten wait", call_site::here(), set);
  };
  CHECK(run_kernel({3}, body) == cudaErrorLaunchFailure);
  CHECK(std::string(cpu::last_error()) ==
        "no thread can run any more; block 0: threads 0,2 have exited; threads 1 wait in "
        "a forgotten wait at " +
            here(line));
}

TEST_CASE("a polling loop ends when another thread gets there") {
  for (const named_schedule& each : all_schedules()) {
    CAPTURE(each.name);
    const under schedule(each.order);
    int released = 0;
    unsigned passed = 0;
    CHECK(run_kernel({64}, [&] {
            if (simt::thread_rank() == 40) {
              for (int i = 0; i < 100; ++i) cpu::yield("the test", call_site::here());
              released = 1;
            }
            while (released == 0) cpu::yield("the test", call_site::here());
            ++passed;
          }) == cudaSuccess);
    CHECK(passed == 64);
  }
}

TEST_CASE("a polling loop that never ends is reported") {
  int line = 0;
  const std::string text = failure_of({33, 2}, [&] {
    while (true) line = __LINE__, cpu::yield("a loop", call_site::here());
  });
  CHECK(contains(text, "no thread can run any more; block "));
  CHECK(contains(text, "threads 0-32 wait in a loop at " + here(line)));
}

TEST_CASE("a wait for what nobody does is reported with all who wait") {
  const under schedule(cpu::schedule::forward());
  int line = 0, barrier = 0;
  const auto never = [] { return false; };
  const auto body = [&] {
    if (simt::thread_rank() % 4 == 1) line = __LINE__, cpu::wait_until(&line, "a wait", call_site::here(), never);
    barrier = __LINE__, simt::sync_block();
  };
  const std::string text = failure_of({16}, body);
  CHECK(text == "no thread can run any more; block 0: threads 0,2-4,6-8,10-12,14-15 wait in sync_block at " +
                    here(barrier) + "; threads 1,5,9,13 wait in a wait at " + here(line));
}

TEST_CASE("asynchronous operations complete when nobody can run, not before") {
  const under schedule(cpu::schedule::forward());
  flag_setter agent;
  bool flag = false, seen_early = false;
  CHECK(run_kernel({64}, [&] {
          if (simt::thread_rank() == 0) agent.start(flag);
          simt::sync_block();  // everybody runs on after this, and still the operation need not have completed
          seen_early = seen_early || flag;
          simt::sync_block();
          cpu::wait_until(&flag, "the operation", call_site::here(), [&] { return flag; });
        }) == cudaSuccess);
  CHECK(flag);
  CHECK_FALSE(seen_early);
  CHECK(agent.resets == 1);
  CHECK(agent.chances == 0);
}

TEST_CASE("a polling loop lets asynchronous operations complete") {
  const under schedule(cpu::schedule::forward());
  flag_setter agent;
  bool flag = false;
  CHECK(run_kernel({32}, [&] {
          if (simt::thread_rank() == 0) agent.start(flag);
          while (!flag) cpu::yield("the operation", call_site::here());
        }) == cudaSuccess);
  CHECK(flag);
}

TEST_CASE("under shuffle they may complete at any switch") {
  bool some_early = false, some_late = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const under schedule(cpu::schedule::shuffle(seed));
    flag_setter agent;
    agent.eager = true;
    bool flag = false, seen_early = false;
    CHECK(run_kernel({2}, [&] {
            if (simt::thread_rank() == 0) agent.start(flag);
            simt::sync_block();
            seen_early = seen_early || flag;
            cpu::wait_until(&flag, "the operation", call_site::here(), [&] { return flag; });
          }) == cudaSuccess);
    CHECK(agent.chances > 0);
    (seen_early ? some_early : some_late) = true;
  }
  CHECK(some_early);
  CHECK(some_late);
}

TEST_CASE("an operation left in flight fails the launch") {
  flag_setter agent;
  bool flag = false;
  const std::string text = failure_of({1, 2}, [&] {
    if (simt::block_rank() == 1) agent.start(flag);
  });
  CHECK(text == "block 1: a flag was left unset");
  CHECK(agent.resets == 1);
  CHECK_FALSE(flag);
}

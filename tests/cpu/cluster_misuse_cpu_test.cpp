// SPDX-License-Identifier: MIT
// Wrong use of clusters and of memory next to or outside a block's own: each fails the launch with a sentence.
#include "cpu/broken.hpp"

using namespace rowfold_test;

namespace {

std::string here(int line) { return at("cluster_misuse_cpu_test.cpp", line); }

struct layout {
  int values[16];
};
const shape pair{32, 4, sizeof(layout), 2};  // two clusters of two blocks

template <class Body>
std::string failure_forward(const shape& size, const Body& body) {
  const under schedule(cpu::schedule::forward());
  return failure_of(size, body);
}

}  // namespace

TEST_CASE("halves of the cluster barrier out of turn") {
  int first = 0, second = 0;
  const auto twice = [&] {
    first = __LINE__, simt::cluster_arrive();
    second = __LINE__, simt::cluster_arrive();
  };
  std::string text = failure_forward(pair, twice);
  CHECK(text == "block 0 thread 0 (warp 0 lane 0) calls cluster_arrive at " + here(second) + " again, after " +
                    here(first) + ", with no cluster_wait between");
  const auto never = [&] { first = __LINE__, simt::cluster_wait(); };
  text = failure_forward(pair, never);
  CHECK(text == "block 0 thread 0 (warp 0 lane 0) calls cluster_wait at " + here(first) + " without cluster_arrive");
}

TEST_CASE("a block that leaves the others of its cluster waiting") {
  int line = 0;
  const auto body = [&] {
    if (simt::cluster_rank() == 1) return;
    line = __LINE__, simt::sync_cluster();
  };
  std::string text = failure_forward(pair, body);
  CHECK(text ==
        "block 1 thread 0 (warp 0 lane 0) exited while 32 thread(s) of its cluster have "
        "arrived at the cluster's barrier");
  const under schedule(cpu::schedule::reverse());
  text = failure_of(pair, body);
  CHECK(text == "no thread can run any more; block 2: threads 0-31 wait in cluster_wait at " + here(line) +
                    "; block 3: threads 0-31 have exited");
}

TEST_CASE("map_shared outside the cluster, the arena, or the block's life") {
  int line = 0;
  const std::string who = "block 0 thread 0 (warp 0 lane 0) calls map_shared at ";
  const auto no_such_block = [&] { line = __LINE__, simt::map_shared(&simt::shared<layout>(), 2); };
  std::string text = failure_forward(pair, no_such_block);
  CHECK(text == who + here(line) + " for block 2 of a cluster of 2");
  int elsewhere = 0;
  const auto outside = [&] { line = __LINE__, simt::map_shared(&elsewhere, 1); };
  text = failure_forward(pair, outside);
  CHECK(text == who + here(line) + " for an object outside its own 64 bytes of shared memory");
  struct larger {
    int values[17];
  };
  const auto too_large = [&] {
    line = __LINE__, simt::map_shared(reinterpret_cast<larger*>(&simt::shared<layout>()), 1);
  };
  text = failure_forward(pair, too_large);
  CHECK(text == who + here(line) + " for an object outside its own 64 bytes of shared memory");
  const auto gone = [&] {
    if (simt::cluster_rank() == 0) return;
    line = __LINE__, simt::map_shared(&simt::shared<layout>(), 0);
  };
  text = failure_forward(pair, gone);
  CHECK(text == "block 1 thread 0 (warp 0 lane 0) calls map_shared at " + here(line) +
                    " for block 0 of its cluster, which has exited");
}

// Under AddressSanitizer these end the process instead: see out_of_bounds.cpp.
#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("writes next to shared memory") {
  const auto write_at = [](std::ptrdiff_t offset) {
    return failure_forward({1, 3, sizeof(layout)}, [&] {
      if (simt::block_rank() == 1) reinterpret_cast<unsigned char*>(&simt::shared<layout>())[offset] = 0;
    });
  };
  const std::string text = "the 64 bytes of shared memory of block 1 were written past their end or start, at offset ";
  CHECK(write_at(64) == text + "64");
  CHECK(write_at(319) == text + "319");
  CHECK(write_at(-1) == text + "-1");
  CHECK(failure_forward({1, 1, 0}, [] { *cpu::current_thread().block->shared.data() = 1; }) ==
        "the 0 bytes of shared memory of block 0 were written past their end or start, at offset 0");
}

TEST_CASE("a write into the shared memory of a block that has exited") {
  CHECK(failure_forward(pair, [] {
          layout* const other = simt::map_shared(&simt::shared<layout>(), 1 - simt::cluster_rank());
          simt::sync_cluster();  // both blocks live until here, but not until the write
          if (simt::cluster_rank() == 1 && simt::thread_rank() == 0) {
            for (int i = 0; i < 3; ++i) cpu::yield("the test", rowfold::call_site::here());
            other->values[3] = 5;
          }
        }) == "the 64 bytes of shared memory of block 0 were written after the block had exited, at offset 12");
}
#endif

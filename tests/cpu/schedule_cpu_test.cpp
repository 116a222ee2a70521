// SPDX-License-Identifier: MIT
// The orders in which the executor runs threads: what each schedule promises, and how it is chosen.
#include "rowfold/cpu/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "cpu/broken.hpp"

using namespace rowfold_test;
using order = std::vector<unsigned>;

namespace {

// The threads in the order in which they first run, and again after a barrier.
order order_of_threads(const cpu::schedule& chosen, unsigned threads, bool after_barrier) {
  const under schedule(chosen);
  order seen;
  REQUIRE(run_kernel({threads}, [&] {
            if (after_barrier) simt::sync_block();
            seen.push_back(simt::thread_rank());
          }) == cudaSuccess);
  return seen;
}

order order_of_blocks(const cpu::schedule& chosen, unsigned blocks) {
  const under schedule(chosen);
  order seen;
  REQUIRE(run_kernel({1, blocks}, [&] { seen.push_back(simt::block_rank()); }) == cudaSuccess);
  return seen;
}

order ascending(unsigned count) {
  order result(count);
  std::iota(result.begin(), result.end(), 0u);
  return result;
}
order descending(unsigned count) {
  order result = ascending(count);
  std::reverse(result.begin(), result.end());
  return result;
}

// Two warps that each synchronise three times: the warp numbers in the order in which lane 0 comes by.
order order_of_warps(const cpu::schedule& chosen) {
  const under schedule(chosen);
  order seen;
  REQUIRE(run_kernel({64}, [&] {
            for (int turn = 0; turn < 3; ++turn) {
              simt::sync_warp();
              if (simt::lane() == 0) seen.push_back(simt::warp_rank());
            }
          }) == cudaSuccess);
  return seen;
}

}  // namespace

TEST_CASE("forward and reverse go through the threads in order") {
  for (const unsigned threads : {1u, 31u, 33u, 100u, 1024u}) {
    for (const bool after_barrier : {false, true}) {
      CAPTURE(threads, after_barrier);
      CHECK(order_of_threads(cpu::schedule::forward(), threads, after_barrier) == ascending(threads));
      CHECK(order_of_threads(cpu::schedule::reverse(), threads, after_barrier) == descending(threads));
    }
  }
}

TEST_CASE("the greedy schedules finish a warp before they begin another") {
  CHECK(order_of_warps(cpu::schedule::forward()) == order{0, 1, 0, 1, 0, 1});
  CHECK(order_of_warps(cpu::schedule::greedy_up()) == order{0, 0, 0, 1, 1, 1});
  CHECK(order_of_warps(cpu::schedule::greedy_down()) == order{1, 1, 1, 0, 0, 0});
}

TEST_CASE("shuffle runs every thread once, in an order that only its seed decides") {
  const order first = order_of_threads(cpu::schedule::shuffle(5), 100, false);
  CHECK(first == order_of_threads(cpu::schedule::shuffle(5), 100, false));
  CHECK(first != order_of_threads(cpu::schedule::shuffle(6), 100, false));
  CHECK(first != ascending(100));
  order sorted = first;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == ascending(100));
}

TEST_CASE("blocks follow the schedule too") {
  for (const unsigned blocks : {1u, 2u, 12u, 97u}) {
    CAPTURE(blocks);
    CHECK(order_of_blocks(cpu::schedule::forward(), blocks) == ascending(blocks));
    CHECK(order_of_blocks(cpu::schedule::greedy_down(), blocks) == descending(blocks));
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      order shuffled = order_of_blocks(cpu::schedule::shuffle(seed), blocks);
      std::sort(shuffled.begin(), shuffled.end());
      CHECK(shuffled == ascending(blocks));
    }
  }
  CHECK(order_of_blocks(cpu::schedule::shuffle(1), 97) != ascending(97));
}

TEST_CASE("the names of schedules") {
  using kind = cpu::schedule::order;
  const auto parsed = [](const char* text) {
    cpu::schedule result = cpu::schedule::shuffle(99);
    CHECK(cpu::parse_schedule(text, result));
    return result;
  };
  CHECK(parsed("forward").kind == kind::forward);
  CHECK(parsed("reverse").kind == kind::reverse);
  CHECK(parsed("greedy_up").kind == kind::greedy_up);
  CHECK(parsed("greedy_down").kind == kind::greedy_down);
  CHECK(parsed("shuffle:18446744073709551615").seed == 18446744073709551615u);
  for (const char* wrong : {"", "Forward", "forward ", "shuffle", "shuffle:", "shuffle:-1", "shuffle:1x", "random"}) {
    CAPTURE(wrong);
    cpu::schedule unchanged = cpu::schedule::shuffle(99);
    CHECK_FALSE(cpu::parse_schedule(wrong, unchanged));
    CHECK(unchanged.seed == 99);
  }
}

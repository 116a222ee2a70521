// SPDX-License-Identifier: MIT
// Block barriers, named barriers and the shared arena.
#include "rowfold/simt/block.cuh"

#include <cstdint>
#include <vector>

#include "rowfold/simt/shared.cuh"
#include "support/run.cuh"

namespace simt = rowfold::simt;
using rowfold_test::buffer;

namespace {

constexpr unsigned most_threads = 1024;

struct mailbox {
  int slot[most_threads];
};

// Each thread passes its value to the next, several times through one shared array.
struct pass_round {
  int turns;
  int* results;
  ROWFOLD_DEVICE void operator()() const {
    mailbox& box = simt::shared<mailbox>();
    const unsigned rank = simt::thread_rank();
    const unsigned threads = simt::block_threads();
    int value = static_cast<int>(simt::block_rank() * threads + rank);
    for (int turn = 0; turn < turns; ++turn) {
      box.slot[(rank + 1) % threads] = value;
      simt::sync_block();  // orders the write above before the read below
      value = box.slot[rank];
      simt::sync_block();  // orders the read above before the next turn's write
    }
    results[simt::block_rank() * threads + rank] = value;
  }
};

// Two groups of 64 threads turn at barriers of their own, a different number of times.
struct two_groups {
  int* results;
  ROWFOLD_DEVICE void operator()() const {
    mailbox& box = simt::shared<mailbox>();
    const unsigned group = simt::thread_rank() / 64;
    const unsigned rank = simt::thread_rank() % 64;
    int* slot = box.slot + 64 * group;
    int value = static_cast<int>(simt::thread_rank());
    for (unsigned turn = 0; turn < 3 + 2 * group; ++turn) {
      slot[(rank + 1) % 64] = value;
      simt::sync_named(1 + group, 64);  // orders the group's writes before its reads
      value = slot[rank];
      simt::sync_named(1 + group, 64);  // orders the group's reads before its next writes
    }
    results[simt::thread_rank()] = value;
  }
};

// One group produces, the other consumes; they meet at one named barrier from two places of the program.
struct producer_and_consumer {
  int* results;
  ROWFOLD_DEVICE void operator()() const {
    mailbox& box = simt::shared<mailbox>();
    const unsigned rank = simt::thread_rank();
    if (rank < 32) {
      box.slot[rank] = static_cast<int>(rank) * 3;
      simt::sync_named(5, 64);  // orders the writes above before the consumers' reads
    } else {
      simt::sync_named(5, 64);  // waits for the producers' writes
      results[rank - 32] = box.slot[63 - rank];
    }
  }
};

struct alignas(64) aligned_layout {
  float first;
  double second;
};
struct note_layout {
  std::uint64_t* address;
  ROWFOLD_DEVICE void operator()() const {
    aligned_layout& layout = simt::shared<aligned_layout>();
    address[simt::thread_rank()] = reinterpret_cast<std::uint64_t>(&layout);
  }
};

}  // namespace

TEST_CASE("sync_block orders memory within every block", "[race]") {
  for (const int threads : {1, 2, 31, 32, 33, 64, 96, 100, 256}) {
    CAPTURE(threads);
    constexpr int blocks = 3, turns = 5;
    buffer<int> results(static_cast<std::size_t>(threads * blocks));
    rowfold_test::run(pass_round{turns, results.data()}, threads, sizeof(mailbox), blocks);
    const std::vector<int> result = results.download();
    bool right = true;
    for (int i = 0; i < threads * blocks; ++i) {
      const int rank = i % threads;
      const int from = ((rank - turns) % threads + threads) % threads;
      right = right && result[static_cast<std::size_t>(i)] == i - rank + from;
    }
    CHECK(right);
  }
}

TEST_CASE("named barriers of one block do not meet", "[race]") {
  buffer<int> results(128);
  rowfold_test::run(two_groups{results.data()}, 128, sizeof(mailbox));
  const std::vector<int> result = results.download();
  for (int i = 0; i < 128; ++i) {
    const int group = i / 64;
    CHECK(result[static_cast<std::size_t>(i)] == 64 * group + (i % 64 - (3 + 2 * group) + 64) % 64);
  }
}

TEST_CASE("a named barrier is reached from two places", "[race]") {
  buffer<int> results(32);
  rowfold_test::run(producer_and_consumer{results.data()}, 64, sizeof(mailbox));
  const std::vector<int> result = results.download();
  for (int i = 0; i < 32; ++i) CHECK(result[static_cast<std::size_t>(i)] == (31 - i) * 3);
}

TEST_CASE("all threads see one shared layout, aligned to 128 bytes") {
  buffer<std::uint64_t> addresses(64);
  rowfold_test::run(note_layout{addresses.data()}, 64, sizeof(aligned_layout));
  const std::vector<std::uint64_t> all = addresses.download();
  CHECK(all[0] % simt::shared_alignment == 0);
  CHECK(all == std::vector<std::uint64_t>(64, all[0]));
}

// SPDX-License-Identifier: MIT
// The reuse rule of block reductions: two storages used in turn need no barrier of their own, and one storage needs one
// between two calls. Warps are delayed against each other, so that a rule that does not hold shows as a wrong sum.
#include <vector>

#include "rowfold/block/block_reduce.cuh"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/folds/sum.cuh"
#include "rowfold/simt/shared.cuh"
#include "support/check.hpp"
#include "support/run.cuh"

namespace {

namespace simt = rowfold::simt;

// Lets the other warps run ahead by an amount that differs from warp to warp and from round to round. On the CPU back
// end the schedules do that.
ROWFOLD_DEVICE void dawdle(unsigned round) {
#if defined(__CUDA_ARCH__)
  const unsigned cycles = (simt::warp_rank() * 37u + round * 61u) % 32u * 64u;
  const long long start = clock64();
  while (clock64() - start < static_cast<long long>(cycles)) {
  }
#else
  (void)round;
#endif
}

template <int Threads>
struct layout {
  rowfold::block_storage<unsigned, rowfold::warps_of(Threads)> sums[2];
};

enum class reuse { alternate, barrier, careless };

// Sums (thread + round) and takes the maximum of (thread * round) in each round; counts the rounds that came out wrong.
template <int Threads, reuse Rule>
struct rounds_body {
  unsigned rounds;
  unsigned* wrong;
  ROWFOLD_DEVICE void operator()() const {
    auto& storage = simt::shared<layout<Threads>>();
    const unsigned thread = simt::thread_rank();
    const unsigned first_sum = Threads * (Threads - 1u) / 2u;
    unsigned mistakes = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      dawdle(round);
      const unsigned sum =
          rowfold::block_reduce<unsigned, Threads>(storage.sums[0]).all_reduce(thread + round, rowfold::sum{});
      mistakes += sum == first_sum + Threads * round ? 0u : 1u;
      if constexpr (Rule == reuse::barrier) simt::sync_block();  // every read of the sum before the next writes
      auto& next = storage.sums[Rule == reuse::alternate ? 1 : 0];
      const unsigned largest =
          rowfold::block_all_reduce(thread * round, rowfold::maximum{}, next, static_cast<int>(Threads));
      mistakes += largest == (Threads - 1u) * round ? 0u : 1u;
      if constexpr (Rule == reuse::barrier) simt::sync_block();  // every read of the maximum before the next writes
    }
    wrong[thread] = mistakes;
  }
};

template <int Threads, reuse Rule>
unsigned count_wrong(unsigned rounds) {
  rowfold_test::buffer<unsigned> wrong(Threads);
  rowfold_test::run(rounds_body<Threads, Rule>{rounds, wrong.data()}, Threads, sizeof(layout<Threads>));
  unsigned total = 0;
  for (const unsigned mistakes : wrong.download()) total += mistakes;
  return total;
}

// A thousand rounds where they cost nothing.
constexpr unsigned rounds = rowfold_test::on_cpu ? 12 : 1000;

}  // namespace

TEST_CASE("reductions that alternate two storages need no barrier between them", "[race]") {
  CHECK(count_wrong<96, reuse::alternate>(rounds) == 0);
  CHECK(count_wrong<180, reuse::alternate>(rounds) == 0);
}

TEST_CASE("reductions with one storage and a barrier between them", "[race]") {
  CHECK(count_wrong<96, reuse::barrier>(rounds) == 0);
  CHECK(count_wrong<180, reuse::barrier>(rounds) == 0);
}

TEST_CASE("the largest block alternates two storages") { CHECK(count_wrong<1024, reuse::alternate>(rounds) == 0); }

#if !defined(__CUDACC__)
TEST_CASE("the schedules show a storage that is reused without a barrier") {
  // That a test of the rule can fail: the rule is broken on purpose. Some schedule gives wrong sums.
  using rowfold::cpu::schedule;
  const auto before = rowfold::cpu::current_schedule();
  unsigned caught = 0;
  for (const auto& tried : {schedule::forward(), schedule::reverse(), schedule::greedy_up(), schedule::greedy_down(),
                            schedule::shuffle(1)}) {
    rowfold::cpu::set_schedule(tried);
    if (count_wrong<96, reuse::careless>(4) != 0) ++caught;
  }
  rowfold::cpu::set_schedule(before);
  CHECK(caught > 0);
}
#endif

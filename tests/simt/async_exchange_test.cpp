// SPDX-License-Identifier: MIT
// Blocks of a cluster exchange values by store_async onto mbarriers, round after round, and tell each other by arrivals
// from afar when they have read them.
#include <vector>

#include "rowfold/launch/launch.cuh"
#include "rowfold/ptx/mbarrier.cuh"
#include "rowfold/ptx/store_async.cuh"
#include "rowfold/simt/simt.cuh"
#include "simt/async_support.cuh"
#include "support/buffer.cuh"

namespace ptx = rowfold::ptx;
namespace simt = rowfold::simt;
using rowfold_test::buffer;

namespace {

constexpr unsigned threads = 32;
constexpr int rounds = 5;
constexpr unsigned most_blocks = 4;

// 16 bytes in one store.
struct alignas(16) quad {
  int part[4];
};

ROWFOLD_HOST_DEVICE void make(int& value, int number) { value = number; }
ROWFOLD_HOST_DEVICE void make(long long& value, int number) { value = number * 0x100000001ll; }
ROWFOLD_HOST_DEVICE void make(quad& value, int number) {
  for (int i = 0; i < 4; ++i) value.part[i] = number + i;
}
ROWFOLD_HOST_DEVICE long long number_of(int value) { return value; }
ROWFOLD_HOST_DEVICE long long number_of(long long value) { return value; }
ROWFOLD_HOST_DEVICE long long number_of(const quad& value) {
  return value.part[0] + 2ll * value.part[1] + 3ll * value.part[2] + 4ll * value.part[3];
}

template <class T>
struct exchange_layout {
  T partial[most_blocks];  // by the sender's rank
  ptx::mbarrier arrived;   // one arrival and all blocks' bytes
  ptx::mbarrier read;      // one arrival of each block: it has read what this one sent
};

// What a block contributes in a round.
ROWFOLD_HOST_DEVICE int contribution(unsigned block, int round) { return static_cast<int>(block) * 17 + round * 1001; }

// totals[block][round] = sum over the cluster of the contributions, from every thread's own reading of them.
template <class T>
__global__ void exchange_kernel(long long* totals, int* agreeing) {
  simt::wait_for_previous_grid();
  auto& own = simt::shared<exchange_layout<T>>();
  const unsigned blocks = simt::cluster_blocks();
  const unsigned rank = simt::thread_rank();
  if (rank == 0) {
    own.arrived.init(1);
    own.read.init(blocks);
    ptx::fence_mbarrier_init();
  }
  simt::sync_cluster();  // orders init before every block's use of the mbarriers
  for (int round = 0; round < rounds; ++round) {
    const unsigned parity = static_cast<unsigned>(round) % 2;
    if (rank == 0) own.arrived.arrive_expect_bytes(blocks * static_cast<unsigned>(sizeof(T)));
    if (rank < blocks) {
      // Orders all blocks' reads of the round before, told by arrive_at, before the store; at once in the first round.
      own.read.template wait<ptx::wait_scope::cluster>(parity ^ 1);
      T value;
      make(value, contribution(simt::block_rank(), round));
      ptx::store_async(&own.partial[simt::cluster_rank()], value, own.arrived, rank);
    }
    own.arrived.template wait<ptx::wait_scope::cluster>(parity);  // orders the stores before the reads below
    long long total = 0;
    for (unsigned i = 0; i < blocks; ++i) total += number_of(own.partial[i]);
    const bool same = simt::all(simt::shuffle(total, 0) == total);
    simt::sync_warp();  // orders all lanes' reads above before the arrivals below
    if (rank < blocks) own.read.arrive_at(rank);
    if (rank == 0) {
      totals[simt::block_rank() * rounds + static_cast<unsigned>(round)] = total;
      agreeing[simt::block_rank() * rounds + static_cast<unsigned>(round)] = same;
    }
  }
  simt::sync_cluster();  // keeps blocks alive until the others have arrived
}

template <class T>
void check_exchange(unsigned cluster_blocks) {
  CAPTURE(sizeof(T), cluster_blocks);
  const unsigned blocks = 2 * cluster_blocks;
  buffer<long long> totals(blocks * rounds);
  buffer<int> agreeing(blocks * rounds);
  const auto config = rowfold_test::shape_of(blocks, threads, sizeof(exchange_layout<T>), cluster_blocks);
  rowfold_test::require_success(rowfold::launch(exchange_kernel<T>, config, totals.data(), agreeing.data()));
  rowfold_test::sync();
  std::vector<long long> expected;
  for (unsigned block = 0; block < blocks; ++block) {
    for (int round = 0; round < rounds; ++round) {
      long long total = 0;
      for (unsigned i = 0; i < cluster_blocks; ++i) {
        T value;
        make(value, contribution(block / cluster_blocks * cluster_blocks + i, round));
        total += number_of(value);
      }
      expected.push_back(total);
    }
  }
  CHECK(totals.download() == expected);
  CHECK(agreeing.download() == std::vector<int>(blocks * rounds, 1));
}

}  // namespace

TEST_CASE("blocks of a cluster exchange values by store_async", "[race]") {
  if (!rowfold_test::has_async_copies()) return;
  for (const unsigned cluster_blocks : {2u, 3u, 4u}) {
    check_exchange<int>(cluster_blocks);
    check_exchange<long long>(cluster_blocks);
    check_exchange<quad>(cluster_blocks);
  }
}

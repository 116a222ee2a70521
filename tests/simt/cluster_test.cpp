// SPDX-License-Identifier: MIT
// Clusters of blocks: ranks, the split barrier, and each other's shared memory.
#include "rowfold/simt/cluster.cuh"

#include <vector>

#include "rowfold/launch/launch.cuh"
#include "rowfold/simt/grid.cuh"
#include "rowfold/simt/shared.cuh"
#include "support/buffer.cuh"

namespace simt = rowfold::simt;
using rowfold_test::buffer;

namespace {

constexpr unsigned threads = 64;

struct exchange_layout {
  int slot[threads];
};

// Reads the slot of the next block of the cluster and writes into that of the one before.
__global__ void neighbours_kernel(int* read, int* received) {
  simt::wait_for_previous_grid();
  exchange_layout& own = simt::shared<exchange_layout>();
  const unsigned rank = simt::thread_rank();
  const unsigned blocks = simt::cluster_blocks();
  const unsigned next = (simt::cluster_rank() + 1) % blocks;
  own.slot[rank] = static_cast<int>(simt::block_rank() * threads + rank);
  simt::sync_cluster();  // orders the write above before the other block's read below
  read[simt::block_rank() * threads + rank] = simt::map_shared(&own, next)->slot[rank];
  simt::cluster_arrive();  // the read above is done
  simt::sync_block();      // between the halves of the cluster's barrier others may come
  simt::cluster_wait();    // orders it before the write below
  simt::map_shared(&own.slot[0], next)[rank] = static_cast<int>(1000 * simt::block_rank() + rank);
  simt::sync_cluster();  // orders the write above before the read below, and keeps blocks alive until it is done
  received[simt::block_rank() * threads + rank] = own.slot[rank];
  simt::allow_next_grid();
}

__global__ void ranks_kernel(unsigned* ranks, unsigned* sizes) {
  if (simt::thread_rank() != 0) return;
  ranks[simt::block_rank()] = simt::cluster_rank();
  sizes[simt::block_rank()] = simt::cluster_blocks();
}

}  // namespace

TEST_CASE("blocks of a cluster read and write each other's shared memory", "[race]") {
  for (const unsigned size : {1u, 2u, 3u, 4u}) {
    CAPTURE(size);
    const unsigned blocks = 2 * size;
    buffer<int> read(blocks * threads), received(blocks * threads);
    rowfold::launch_config config;
    config.grid_blocks = blocks;
    config.block_threads = threads;
    config.shared_bytes = sizeof(exchange_layout);
    config.cluster_blocks = size;
    rowfold_test::require_success(rowfold::launch(neighbours_kernel, config, read.data(), received.data()));
    rowfold_test::sync();
    const std::vector<int> all_read = read.download(), all_received = received.download();
    bool right = true;
    for (unsigned i = 0; i < blocks * threads; ++i) {
      const unsigned block = i / threads, first = block / size * size, rank = i % threads;
      const unsigned next = first + (block - first + 1) % size, previous = first + (block - first + size - 1) % size;
      right = right && all_read[i] == static_cast<int>(next * threads + rank) &&
              all_received[i] == static_cast<int>(1000 * previous + rank);
    }
    CHECK(right);
  }
}

TEST_CASE("a block knows its rank in the cluster") {
  buffer<unsigned> ranks(24), sizes(24);
  rowfold::launch_config config;
  config.grid_blocks = 24;
  config.block_threads = threads;
  config.cluster_blocks = 8;
  rowfold_test::require_success(rowfold::launch(ranks_kernel, config, ranks.data(), sizes.data()));
  rowfold_test::sync();
  for (unsigned i = 0; i < 24; ++i) {
    CHECK(ranks.download()[i] == i % 8);
    CHECK(sizes.download()[i] == 8);
  }
}

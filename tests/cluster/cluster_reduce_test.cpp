// SPDX-License-Identifier: MIT
// Cluster reductions: every thread of every block gets the bits of the merge tree over the blocks of the merge trees
// over their threads; and a loop that alternates two storages.
#include "rowfold/cluster/cluster_reduce.cuh"

#include <vector>

#include "rowfold/folds/sum.cuh"
#include "rowfold/simt/shared.cuh"
#include "support/check.hpp"
#include "support/merge_tree.hpp"
#include "support/run.cuh"
#include "support/values.hpp"

using rowfold_test::buffer;
using rowfold_test::merge_tree;

namespace {

namespace simt = rowfold::simt;

// Neither commutative nor associative: any other tree or order of operands shows.
struct scramble {
  ROWFOLD_HOST_DEVICE unsigned operator()(unsigned a, unsigned b) const { return 3u * a + 5u * b + (a ^ (b >> 3)); }
};

struct layout {
  rowfold::cluster_storage<unsigned> storage[2];
};

template <bool FullWarps>
struct reduce_body {
  const unsigned* in;
  unsigned* out;
  ROWFOLD_DEVICE void operator()() const {
    auto& shared = simt::shared<layout>();
    const unsigned place = simt::block_rank() * simt::block_threads() + simt::thread_rank();
    simt::sync_cluster();  // every block has begun before another sends to it
    out[place] = rowfold::cluster_all_reduce<FullWarps>(in[place], scramble{}, shared.storage[0],
                                                        static_cast<int>(simt::block_threads()));
  }
};

// The thread's own number plus the round, summed over the cluster, again and again.
struct rounds_body {
  unsigned rounds;
  unsigned* wrong;
  ROWFOLD_DEVICE void operator()() const {
    auto& shared = simt::shared<layout>();
    const unsigned threads = simt::block_threads() * simt::cluster_blocks();
    const unsigned thread = simt::cluster_rank() * simt::block_threads() + simt::thread_rank();
    unsigned mistakes = 0;
    simt::sync_cluster();  // every block has begun before another sends to it
    for (unsigned round = 0; round < rounds; ++round) {
      const unsigned total = rowfold::cluster_all_reduce(thread + round, rowfold::sum{}, shared.storage[round % 2],
                                                         static_cast<int>(simt::block_threads()));
      mistakes += total == threads * (threads - 1) / 2 + threads * round ? 0u : 1u;
    }
    wrong[simt::block_rank() * simt::block_threads() + simt::thread_rank()] = mistakes;
  }
};

template <class Body>
void run_clusters(const Body& body, unsigned clusters, unsigned cluster_blocks, unsigned block_threads) {
  rowfold::launch_config config;
  config.grid_blocks = clusters * cluster_blocks;
  config.cluster_blocks = cluster_blocks;
  config.block_threads = block_threads;
  config.shared_bytes = sizeof(layout);
  rowfold_test::require_success(rowfold::launch(rowfold_test::body_kernel<Body>, config, body));
  rowfold_test::sync();
}

void check_cluster(unsigned cluster_blocks, unsigned block_threads) {
  CAPTURE(cluster_blocks, block_threads);
  constexpr unsigned clusters = 2;
  const std::size_t count = clusters * cluster_blocks * block_threads;
  std::mt19937_64 engine(rowfold_test::seed());
  std::vector<unsigned> values(count), expected(count);
  for (unsigned& value : values) value = static_cast<unsigned>(engine());
  for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
    const std::size_t first = cluster * cluster_blocks * block_threads;
    std::vector<unsigned> blocks;
    for (std::size_t block = 0; block < cluster_blocks; ++block) {
      blocks.push_back(merge_tree(&values[first + block * block_threads], block_threads, scramble{}));
    }
    for (std::size_t i = 0; i < cluster_blocks * block_threads; ++i) {
      expected[first + i] = merge_tree(blocks, scramble{});
    }
  }
  buffer<unsigned> in(count), out(count);
  in.upload(values);
  run_clusters(reduce_body<false>{in.data(), out.data()}, clusters, cluster_blocks, block_threads);
  CHECK(out.download() == expected);
  if (block_threads % 32 == 0) {
    out.fill_bytes(0);
    run_clusters(reduce_body<true>{in.data(), out.data()}, clusters, cluster_blocks, block_threads);
    CHECK(out.download() == expected);
  }
  CHECK(out.canaries_intact());
}

}  // namespace

TEST_CASE("every thread of a cluster gets the merge tree's bits") {
  for (const unsigned cluster_blocks : {1u, 2u, 3u, 4u, 8u, 16u}) {
    for (const unsigned block_threads : {1u, 32u, 45u, 96u}) check_cluster(cluster_blocks, block_threads);
  }
}

TEST_CASE("cluster reductions that alternate two storages", "[race]") {
  constexpr unsigned cluster_blocks = 4, block_threads = 64;
  constexpr unsigned rounds = rowfold_test::on_cpu ? 9 : 1000;
  buffer<unsigned> wrong(cluster_blocks * block_threads);
  run_clusters(rounds_body{rounds, wrong.data()}, 1, cluster_blocks, block_threads);
  CHECK(wrong.download() == std::vector<unsigned>(cluster_blocks * block_threads, 0u));
}

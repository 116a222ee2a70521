// SPDX-License-Identifier: MIT
// Every thread of a grid runs once and knows its place.
#include "rowfold/simt/thread.cuh"

#include <vector>

#include "support/run.cuh"

namespace simt = rowfold::simt;
using rowfold_test::buffer;

namespace {

struct place {
  unsigned thread, block, lane, warp, threads, blocks, visits;
};

struct note_place {
  place* places;
  ROWFOLD_DEVICE void operator()() const {
    place& own = places[simt::block_rank() * simt::block_threads() + simt::thread_rank()];
    own = place{simt::thread_rank(),   simt::block_rank(),  simt::lane(),  simt::warp_rank(),
                simt::block_threads(), simt::grid_blocks(), own.visits + 1};
  }
};

}  // namespace

TEST_CASE("every thread of every block runs once and knows its place") {
  for (const unsigned threads : {1u, 31u, 32u, 33u, 100u, 256u, 1024u}) {
    for (const unsigned blocks : {1u, 2u, 7u}) {
      CAPTURE(threads, blocks);
      buffer<place> places(threads * blocks);
      places.fill_bytes(0);
      rowfold_test::run(note_place{places.data()}, static_cast<int>(threads), 0, static_cast<int>(blocks));
      bool right = true;
      const std::vector<place> all = places.download();
      for (unsigned i = 0; i < threads * blocks; ++i) {
        const place& p = all[i];
        right = right && p.thread == i % threads && p.block == i / threads && p.lane == i % threads % 32 &&
                p.warp == i % threads / 32 && p.threads == threads && p.blocks == blocks && p.visits == 1;
      }
      CHECK(right);
      CHECK(places.canaries_intact());
    }
  }
}

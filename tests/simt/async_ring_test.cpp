// SPDX-License-Identifier: MIT
// Bulk copies between global and shared memory: a ring of stages that one thread fills and others empty, and stores.
#include <vector>

#include "rowfold/launch/launch.cuh"
#include "rowfold/ptx/bulk_copy.cuh"
#include "rowfold/ptx/mbarrier.cuh"
#include "rowfold/simt/simt.cuh"
#include "simt/async_support.cuh"
#include "support/buffer.cuh"

namespace ptx = rowfold::ptx;
namespace simt = rowfold::simt;
using rowfold_test::buffer;

namespace {

constexpr unsigned consumers = 64;
constexpr unsigned threads = simt::warp_threads + consumers;  // warp 0 fills
constexpr int tile = 4 * static_cast<int>(consumers);

template <int Stages>
struct ring_layout {
  alignas(16) int values[Stages][tile];
  ptx::mbarrier full[Stages];
  ptx::mbarrier empty[Stages];
};

// Waits for a phase by polling or by sleeping.
ROWFOLD_DEVICE void wait_for(ptx::mbarrier& barrier, unsigned parity, bool poll) {
  if (!poll) return barrier.wait(parity);
  while (!barrier.try_wait(parity)) {
  }
}

// Fills each stage again as soon as all consumers have left it; lane 0 of warp 0 alone.
template <int Stages>
ROWFOLD_DEVICE void fill(ring_layout<Stages>& ring, const int* in, int tiles, bool poll) {
  for (int t = 0; t < tiles; ++t) {
    const int stage = t % Stages;
    const unsigned round = static_cast<unsigned>(t / Stages) % 2;
    wait_for(ring.empty[stage], round ^ 1, poll);  // at once in the first round; orders reads before the copy
    ring.full[stage].arrive_expect_bytes(tile * sizeof(int));
    ptx::bulk_load(ring.values[stage], in + t * tile, tile * sizeof(int), ring.full[stage]);
  }
}

// Each block: out = 3 in + 1, tile by tile, in reverse within a tile so that every consumer reads what others hold.
template <int Stages>
__global__ void ring_kernel(const int* in, int* out, int tiles, bool poll) {
  simt::wait_for_previous_grid();
  auto& ring = simt::shared<ring_layout<Stages>>();
  if (simt::thread_rank() == 0) {
    for (int stage = 0; stage < Stages; ++stage) {
      ring.full[stage].init(1);
      ring.empty[stage].init(consumers);
    }
    ptx::fence_mbarrier_init();
  }
  simt::sync_block();  // orders init before every use of the mbarriers
  in += static_cast<int>(simt::block_rank()) * tiles * tile;
  out += static_cast<int>(simt::block_rank()) * tiles * tile;
  if (simt::warp_rank() == 0) {
    if (simt::lane() == 0) fill(ring, in, tiles, poll);
    return;
  }
  const int rank = static_cast<int>(simt::thread_rank() - simt::warp_threads);
  for (int t = 0; t < tiles; ++t) {
    const int stage = t % Stages;
    wait_for(ring.full[stage], static_cast<unsigned>(t / Stages) % 2, poll);  // orders the copy before the reads below
    for (int i = rank; i < tile; i += static_cast<int>(consumers)) {
      out[t * tile + i] = 3 * ring.values[stage][tile - 1 - i] + 1;
    }
    ring.empty[stage].arrive();  // orders the reads above before the next copy into the stage
  }
}

template <int Stages>
void check_ring(int tiles, bool poll) {
  CAPTURE(Stages, tiles, poll);
  constexpr int blocks = 2;
  const int count = blocks * tiles * tile;
  buffer<int> in(static_cast<std::size_t>(count)), out(static_cast<std::size_t>(count));
  std::vector<int> values(static_cast<std::size_t>(count)), expected(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = 7 * i - 1000;
  for (int i = 0; i < count; ++i) {
    const int mirrored = i / tile * tile + (tile - 1 - i % tile);
    expected[static_cast<std::size_t>(i)] = 3 * values[static_cast<std::size_t>(mirrored)] + 1;
  }
  in.upload(values);
  const auto config = rowfold_test::shape_of(blocks, threads, sizeof(ring_layout<Stages>));
  rowfold_test::require_success(rowfold::launch(ring_kernel<Stages>, config, in.data(), out.data(), tiles, poll));
  rowfold_test::sync();
  CHECK(out.download() == expected);
  CHECK(out.canaries_intact());
}

struct store_layout {
  alignas(16) int values[2][consumers];
};

// Stores two halves as two groups. The first may be written again once it has been read, while the other is on its way.
__global__ void store_kernel(int* out, bool wait_for_writes) {
  simt::wait_for_previous_grid();
  auto& shared = simt::shared<store_layout>();
  const unsigned rank = simt::thread_rank();
  out += 2 * consumers * simt::block_rank();
  for (int half = 0; half < 2; ++half) {
    shared.values[half][rank] = static_cast<int>(100 * simt::block_rank() + rank) + 1000 * half;
  }
  ptx::fence_async_shared();
  simt::sync_block();  // orders the writes above before the copies below
  if (rank == 0) {
    for (int half = 0; half < 2; ++half) {
      ptx::bulk_store(out + half * static_cast<int>(consumers), shared.values[half], sizeof(shared.values[half]));
      ptx::commit_bulk_stores();
    }
    ptx::wait_bulk_stores_read<1>();
  }
  simt::sync_block();  // orders the copy's reads of the first half before the writes below
  shared.values[0][rank] = -1;
  if (rank == 0) {
    if (wait_for_writes) {
      ptx::wait_bulk_stores<0>();
      out[0] += 5;  // after the copy's write
    } else {
      ptx::wait_bulk_stores_read<0>();  // the block may end
    }
  }
}

}  // namespace

TEST_CASE("a ring of stages filled by bulk copies", "[race]") {
  if (!rowfold_test::has_async_copies()) return;
  for (const bool poll : {false, true}) {
    for (const int tiles : {1, 2, 3, 4, 7}) {
      check_ring<2>(tiles, poll);
      check_ring<3>(tiles, poll);
    }
  }
}

TEST_CASE("bulk stores, waited for or left to the end of the grid", "[race]") {
  if (!rowfold_test::has_async_copies()) return;
  for (const bool wait_for_writes : {true, false}) {
    CAPTURE(wait_for_writes);
    constexpr unsigned blocks = 3;
    buffer<int> out(blocks * 2 * consumers);
    const auto config = rowfold_test::shape_of(blocks, consumers, sizeof(store_layout));
    rowfold_test::require_success(rowfold::launch(store_kernel, config, out.data(), wait_for_writes));
    rowfold_test::sync();
    std::vector<int> expected;
    for (unsigned i = 0; i < blocks * 2 * consumers; ++i) {
      const unsigned block = i / (2 * consumers), half = i / consumers % 2, rank = i % consumers;
      const unsigned added = half == 0 && rank == 0 && wait_for_writes ? 5 : 0;
      expected.push_back(static_cast<int>(100 * block + rank + 1000 * half + added));
    }
    CHECK(out.download() == expected);
    CHECK(out.canaries_intact());
  }
}

// SPDX-License-Identifier: MIT
// Groups of 16-byte copies from global to shared memory, two tiles in flight.
#include "rowfold/ptx/async_copy.cuh"

#include <vector>

#include "rowfold/launch/launch.cuh"
#include "rowfold/simt/simt.cuh"
#include "simt/async_support.cuh"
#include "support/buffer.cuh"

namespace ptx = rowfold::ptx;
namespace simt = rowfold::simt;
using rowfold_test::buffer;

namespace {

constexpr unsigned threads = 48;  // a warp and a half
constexpr int tile = 4 * static_cast<int>(threads);

struct pair_layout {
  alignas(16) int values[2][tile];
};

// Every thread's 16 bytes of tile t, as a group; an empty one behind the last tile, so that groups count tiles.
ROWFOLD_DEVICE void issue(pair_layout& shared, const int* in, int t, int tiles) {
  const int first = 4 * static_cast<int>(simt::thread_rank());
  if (t < tiles) ptx::copy_async<16>(&shared.values[t % 2][first], in + t * tile + first);
  ptx::commit_copies();
}

// out = in + 1, mirrored within each tile, so that every thread reads what others have copied.
__global__ void tiles_kernel(const int* in, int* out, int tiles) {
  simt::wait_for_previous_grid();
  auto& shared = simt::shared<pair_layout>();
  issue(shared, in, 0, tiles);
  for (int t = 0; t < tiles; ++t) {
    issue(shared, in, t + 1, tiles);
    ptx::wait_copies<1>();  // this thread's part of tile t is there, that of t + 1 need not be
    simt::sync_block();     // orders all threads' copies of tile t before the reads below
    for (int i = static_cast<int>(simt::thread_rank()); i < tile; i += static_cast<int>(threads)) {
      out[t * tile + i] = shared.values[t % 2][tile - 1 - i] + 1;
    }
    simt::sync_block();  // orders the reads above before the next copy into the same place
  }
}

// All groups at once: wait_copies<0>.
__global__ void all_kernel(const int* in, int* out) {
  simt::wait_for_previous_grid();
  auto& shared = simt::shared<pair_layout>();
  issue(shared, in, 0, 2);
  issue(shared, in, 1, 2);
  ptx::wait_copies<0>();
  simt::sync_block();  // orders all threads' copies before the reads below
  for (int i = static_cast<int>(simt::thread_rank()); i < 2 * tile; i += static_cast<int>(threads)) {
    out[i] = shared.values[1 - i / tile][i % tile];
  }
}

}  // namespace

TEST_CASE("groups of 16-byte copies", "[race]") {
  for (const int tiles : {1, 2, 3, 6}) {
    CAPTURE(tiles);
    const auto count = static_cast<std::size_t>(tiles) * tile;
    buffer<int> in(count), out(count);
    std::vector<int> values(count), expected(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(11 * i) - 500;
    for (std::size_t i = 0; i < count; ++i) expected[i] = values[i / tile * tile + (tile - 1 - i % tile)] + 1;
    in.upload(values);
    const auto config = rowfold_test::shape_of(1, threads, sizeof(pair_layout));
    rowfold_test::require_success(rowfold::launch(tiles_kernel, config, in.data(), out.data(), tiles));
    rowfold_test::sync();
    CHECK(out.download() == expected);
    CHECK(out.canaries_intact());
  }
}

TEST_CASE("a wait for all groups", "[race]") {
  buffer<int> in(2 * tile), out(2 * tile);
  std::vector<int> values, expected;
  for (int i = 0; i < 2 * tile; ++i) values.push_back(5 * i);
  for (int i = 0; i < 2 * tile; ++i) expected.push_back(5 * ((i + tile) % (2 * tile)));
  in.upload(values);
  const auto config = rowfold_test::shape_of(1, threads, sizeof(pair_layout));
  rowfold_test::require_success(rowfold::launch(all_kernel, config, in.data(), out.data()));
  rowfold_test::sync();
  CHECK(out.download() == expected);
}

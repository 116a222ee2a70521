// SPDX-License-Identifier: MIT
// Mbarriers and every asynchronous copy: compiled for each architecture, since no op uses them yet.
// Compile time: at most 1
#include "rowfold/ptx/async_copy.cuh"
#include "rowfold/ptx/bulk_copy.cuh"
#include "rowfold/ptx/mbarrier.cuh"
#include "rowfold/ptx/store_async.cuh"
#include "rowfold/simt/simt.cuh"

namespace ptx = rowfold::ptx;
namespace simt = rowfold::simt;

namespace {
struct layout {
  alignas(16) float4 quads[32];
  double2 pairs[2];
  long long words[2];
  float value;
  ptx::mbarrier barrier;
};
}  // namespace

__global__ void async_kernel(const float4* in, float4* out) {
  layout& shared = simt::shared<layout>();
  const unsigned rank = simt::thread_rank();
  simt::wait_for_previous_grid();  // orders its writes before the copies below
  ptx::copy_async<16>(&shared.quads[rank], in + rank);
  ptx::commit_copies();
  ptx::wait_copies<1>();
  ptx::wait_copies<0>();
  if constexpr (!ptx::has_async_copies) {
    out[rank] = shared.quads[rank];
    return;
  }
  if (rank == 0) {
    shared.barrier.init(3);
    ptx::fence_mbarrier_init();
  }
  simt::sync_cluster();  // orders init before all use of the mbarrier
  if (rank == 0) {
    shared.barrier.arrive_expect_bytes(512 + 32);
    shared.barrier.arrive();
    shared.barrier.arrive_at(0);
    ptx::bulk_load(shared.quads, in, 512, shared.barrier);
    ptx::store_async(&shared.value, 1.0f, shared.barrier, 0);
    ptx::store_async(&shared.words[0], 1ll, shared.barrier, 0);
    ptx::store_async(&shared.pairs[0], double2{1.0, 2.0}, shared.barrier, 0);
  }
  while (!shared.barrier.try_wait(0)) {
  }
  shared.barrier.wait<ptx::wait_scope::cluster>(0);
  shared.quads[rank].x += static_cast<float>(shared.words[0]) + shared.value + static_cast<float>(shared.pairs[0].x);
  ptx::fence_async_shared();
  simt::sync_block();  // orders the writes above before the copy below
  if (rank == 0) {
    ptx::bulk_store(out, shared.quads, 512);
    ptx::commit_bulk_stores();
    ptx::wait_bulk_stores_read<0>();
    ptx::wait_bulk_stores<0>();
    shared.barrier.inval();
  }
}

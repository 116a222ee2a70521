// SPDX-License-Identifier: MIT
// One kernel with a data race per command line argument, for the race detector to find: CTest looks for its report.
//
//   planted_races CASE        runs that kernel; ThreadSanitizer prints what it finds
//   planted_races repaired    runs the same kernels with what they lack; nothing is found and the exit status is 0
//
// No schedule can reveal some of these: the values agree whatever the order.
#include <cstdio>
#include <cstring>

#include "rowfold/launch/launch.cuh"
#include "rowfold/ptx/bulk_copy.cuh"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/simt/simt.cuh"

namespace simt = rowfold::simt;

namespace {

constexpr unsigned threads = 64;
struct layout {
  int slot[threads];
};

void store(int* to, int value) {
  rowfold::store_global<4, rowfold::store_hint::write_back>(to, rowfold::raw_bytes<4>{{static_cast<unsigned>(value)}});
}

// A write that another warp reads, with no barrier between.
void missing_block_barrier_kernel(int* out, bool repaired) {
  layout& shared = simt::shared<layout>();
  const unsigned rank = simt::thread_rank();
  shared.slot[rank] = static_cast<int>(rank);
  if (repaired) simt::sync_block();  // orders the write above before the read below
  store(out + rank, shared.slot[threads - 1 - rank]);
}

// A lane reads what another has written, after a shuffle, which orders no memory.
void missing_warp_barrier_kernel(int* out, bool repaired) {
  layout& shared = simt::shared<layout>();
  const unsigned rank = simt::thread_rank();
  shared.slot[rank] = static_cast<int>(rank);
  (void)simt::shuffle(rank, 0);
  if (repaired) simt::sync_warp();  // orders the write above before the read below
  store(out + rank, shared.slot[rank ^ 1]);
}

// Storage is written again while slower threads may still read it.
void reused_storage_kernel(int* out, bool repaired) {
  layout& shared = simt::shared<layout>();
  const unsigned rank = simt::thread_rank();
  shared.slot[rank] = static_cast<int>(rank);
  simt::sync_block();  // orders the write above before the read below
  const int other = shared.slot[threads - 1 - rank];
  if (repaired) simt::sync_block();  // orders the read above before the write below
  shared.slot[rank] = 0;
  store(out + rank, other);
}

// Two threads write the same value to the same place.
void same_value_kernel(int* out, bool repaired) {
  const unsigned rank = simt::thread_rank();
  if (rank == 3 || (rank == 40 && !repaired)) store(out, 7);
}

// The race is in the second block only, where every fiber, stack and barrier has been used before. Repaired, both
// blocks end with a read that nothing orders before the next block's write: no race, since their shared memory is not
// the same.
void second_block_kernel(int* out, bool repaired) {
  layout& shared = simt::shared<layout>();
  const unsigned rank = simt::thread_rank();
  shared.slot[rank] = static_cast<int>(rank);
  if (simt::block_rank() == 0 || repaired) simt::sync_block();  // orders the write above before the read below
  const int other = simt::block_rank() == 0 && !repaired ? 0 : shared.slot[threads - 1 - rank];
  store(out + threads * simt::block_rank() + rank, other);
}

// Two blocks write the same place, both through the thread of the same rank. On a GPU they run at the same time.
void two_blocks_kernel(int* out, bool repaired) {
  if (simt::thread_rank() == 5) store(out + (repaired ? simt::block_rank() : 0), 1);
}

// A block reads another's shared memory before the cluster's barrier.
void missing_cluster_barrier_kernel(int* out, bool repaired) {
  layout& shared = simt::shared<layout>();
  const unsigned rank = simt::thread_rank();
  const unsigned other = 1 - simt::cluster_rank();
  shared.slot[rank] = static_cast<int>(rank);
  simt::cluster_arrive();              // the write above is done
  if (repaired) simt::cluster_wait();  // orders it before the read below
  const int read = simt::map_shared(&shared, other)->slot[rank];
  if (!repaired) simt::cluster_wait();
  simt::sync_cluster();  // keeps both blocks alive until the reads are done
  store(out + threads * simt::block_rank() + rank, read);
}

struct copy_layout {
  alignas(16) int slot[threads];
  rowfold::ptx::mbarrier full, empty;
};

// Thread 0 has the slots filled from `out`.
void fill(copy_layout& shared, const int* out) {
  shared.full.arrive_expect_bytes(sizeof(shared.slot));
  rowfold::ptx::bulk_load(shared.slot, out, sizeof(shared.slot), shared.full);
}

copy_layout& begin_copies() {
  copy_layout& shared = simt::shared<copy_layout>();
  if (simt::thread_rank() == 0) {
    shared.full.init(1);
    shared.empty.init(threads);
  }
  simt::sync_block();  // orders init before every use of the mbarriers
  return shared;
}

// A read of what a bulk copy writes, with no wait between.
void missing_mbarrier_wait_kernel(int* out, bool repaired) {
  copy_layout& shared = begin_copies();
  const unsigned rank = simt::thread_rank();
  if (rank == 0) fill(shared, out);
  if (repaired) shared.full.wait(0);  // orders the copy before the read below
  const int read = shared.slot[rank];
  if (!repaired) shared.full.wait(0);
  store(out + threads + rank, read);
}

// A second copy to the same place, while others may still read the first.
void early_refill_kernel(int* out, bool repaired) {
  copy_layout& shared = begin_copies();
  const unsigned rank = simt::thread_rank();
  if (rank == 0) fill(shared, out);
  shared.full.wait(0);  // orders the copy before the read below
  store(out + threads + rank, shared.slot[threads - 1 - rank]);
  if (repaired) shared.empty.arrive();
  if (rank == 0) {
    if (repaired) shared.empty.wait(0);  // orders the reads above before the copy below
    fill(shared, out);
  }
  shared.full.wait(1);
}

struct planted {
  const char* name;
  void (*kernel)(int*, bool);
  unsigned blocks;
  unsigned cluster_blocks;
};
const planted all[] = {
    {"missing_block_barrier", missing_block_barrier_kernel, 1, 1},
    {"missing_warp_barrier", missing_warp_barrier_kernel, 1, 1},
    {"reused_storage", reused_storage_kernel, 1, 1},
    {"same_value", same_value_kernel, 1, 1},
    {"second_block", second_block_kernel, 2, 1},
    {"two_blocks", two_blocks_kernel, 2, 1},
    {"missing_cluster_barrier", missing_cluster_barrier_kernel, 2, 2},
    {"missing_mbarrier_wait", missing_mbarrier_wait_kernel, 1, 1},
    {"early_refill", early_refill_kernel, 1, 1},
};

bool run(const planted& each, bool repaired) {
  alignas(16) int out[2 * threads] = {};
  rowfold::launch_config config;
  config.grid_blocks = each.blocks;
  config.block_threads = threads;
  config.shared_bytes = sizeof(copy_layout);  // the larger one
  config.cluster_blocks = each.cluster_blocks;
  if (rowfold::launch(each.kernel, config, out, repaired) == cudaSuccess) return true;
  std::printf("%s: %s\n", each.name, rowfold::cpu::last_error());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const wanted = argc == 2 ? argv[1] : "";
  const bool repaired = std::strcmp(wanted, "repaired") == 0;
  int ran = 0;
  for (const planted& each : all) {
    if (repaired || std::strcmp(wanted, each.name) == 0) ran += run(each, repaired) ? 1 : 0;
  }
  std::printf("%d kernel(s) ran\n", ran);
  return ran == (repaired ? static_cast<int>(sizeof(all) / sizeof(all[0])) : 1) ? 0 : 2;
}

// SPDX-License-Identifier: MIT
// One kernel that reads or writes out of bounds per command line argument, for AddressSanitizer to stop: CTest looks
// for its report and for the kernel's name in it. Without an argument the same kernels stay within bounds, and the
// status is 0.
#include <cstdio>
#include <cstring>
#include <vector>

#include "rowfold/launch/launch.cuh"
#include "rowfold/ptx/async_copy.cuh"
#include "rowfold/ptx/bulk_copy.cuh"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/simt/simt.cuh"

namespace simt = rowfold::simt;

namespace {

struct layout {
  int slot[10];
};

// Thread 9 writes one slot past the end.
__attribute__((noinline)) void shared_write_kernel(int*, int beyond) {
  layout& shared = simt::shared<layout>();
  int* const slot = shared.slot;
  slot[static_cast<int>(simt::thread_rank()) % 10 + beyond] = 1;
}

__attribute__((noinline)) void shared_read_kernel(int* out, int beyond) {
  layout& shared = simt::shared<layout>();
  const int* const slot = shared.slot;
  out[0] = slot[-beyond];
}

__attribute__((noinline)) void global_read_kernel(int* out, int beyond) {
  (void)rowfold::load_global<4, rowfold::load_hint::coherent>(out + 9 + beyond);
}

__attribute__((noinline)) void global_write_kernel(int* out, int beyond) {
  rowfold::store_global<4, rowfold::store_hint::write_back>(out + 9 + beyond, rowfold::raw_bytes<4>{{1}});
}

// Writes into the other block's shared memory after that block has ended.
__attribute__((noinline)) void exited_block_kernel(int*, int beyond) {
  layout& shared = simt::shared<layout>();
  layout* const other = simt::map_shared(&shared, 1 - simt::cluster_rank());
  simt::sync_cluster();
  if (simt::cluster_rank() == 1 && beyond == 1) {
    for (int i = 0; i < 3; ++i) rowfold::cpu::yield("the test", rowfold::call_site::here());
    other->slot[0] = 1;
  }
}

// An asynchronous copy is stopped where it is issued, not where it is made. The tensor's last 8 of 40 bytes are no 16.
__attribute__((noinline)) void async_read_kernel(int* out, int beyond) {
  rowfold::ptx::copy_async<16>(simt::shared<layout>().slot, out + 4 + 4 * beyond);
  rowfold::ptx::commit_copies();
  rowfold::ptx::wait_copies<0>();
}

__attribute__((noinline)) void async_write_kernel(int* out, int beyond) {
  rowfold::ptx::bulk_store(out + 4 * beyond, simt::shared<layout>().slot, 32);
  rowfold::ptx::commit_bulk_stores();
  rowfold::ptx::wait_bulk_stores<0>();
}

struct broken {
  const char* name;
  void (*kernel)(int*, int);
  unsigned cluster_blocks;
};
const broken all[] = {
    {"shared_write", shared_write_kernel, 1}, {"shared_read", shared_read_kernel, 1},
    {"global_read", global_read_kernel, 1},   {"global_write", global_write_kernel, 1},
    {"async_read", async_read_kernel, 1},     {"async_write", async_write_kernel, 1},
    {"exited_block", exited_block_kernel, 2},
};

}  // namespace

int main(int argc, char** argv) {
  int failures = 0;
  for (const broken& each : all) {
    if (argc == 2 && std::strcmp(argv[1], each.name) != 0) continue;
    std::vector<int> out(10);
    rowfold::launch_config config;
    config.grid_blocks = each.cluster_blocks;
    config.cluster_blocks = each.cluster_blocks;
    config.block_threads = 10;
    config.shared_bytes = sizeof(layout);
    if (rowfold::launch(each.kernel, config, out.data(), argc == 2 ? 1 : 0) == cudaSuccess) continue;
    std::printf("%s: %s\n", each.name, rowfold::cpu::last_error());
    ++failures;
  }
  return failures;
}

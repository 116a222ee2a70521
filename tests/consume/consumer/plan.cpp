// SPDX-License-Identifier: MIT
// Plans a LayerNorm for a described device: host values alone, so it needs the CUDA headers, but neither a CUDA
// compiler, a GPU nor Boost.
#include <cstdio>

#include "rowfold/layer_norm.hpp"
#include "rowfold/version.hpp"

int main() {
  rowfold::device_info device;
  device.compute_major = 9;
  device.multiprocessors = 132;
  device.max_threads_per_multiprocessor = 2048;
  device.shared_bytes_per_block = 227 * 1024;
  device.shared_bytes_per_multiprocessor = 228 * 1024;
  device.l2_bytes = 50 << 20;

  const float x = 0;
  float y = 0;
  rowfold::layer_norm_args<float> args;
  args.x = &x;
  args.y = &y;
  args.rows = 4096;
  args.cols = 1024;
  const rowfold::row_plan plan = rowfold::plan_layer_norm(args, device);
  std::printf("rowfold %d.%d.%d: %u blocks of %u threads, %lld bytes\n", ROWFOLD_VERSION_MAJOR, ROWFOLD_VERSION_MINOR,
              ROWFOLD_VERSION_PATCH, plan.grid_blocks, plan.block_threads, static_cast<long long>(plan.minimal_bytes));
  return plan.status == rowfold::plan_status::ready && plan.minimal_bytes == 2LL * 4096 * 1024 * 4 ? 0 : 1;
}

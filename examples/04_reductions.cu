// SPDX-License-Identifier: MIT
// 4. Reductions in a kernel of your own. A block reduction takes its shared memory by reference; shared memory is one
//    struct, asked for with simt::shared<>(), and its size goes into the launch. An operator is any functor of two
//    partial results and needs no neutral element; every thread gets the result, the same bits in each.
#include "memory.hpp"
#include "rowfold/block/block_reduce.cuh"
#include "rowfold/folds/indexed.cuh"
#include "rowfold/folds/max_sum.cuh"
#include "rowfold/launch/launch.cuh"
#include "rowfold/simt/simt.cuh"
#include "rowfold/warp/warp_reduce.cuh"

namespace simt = rowfold::simt;

// Softmax, a block per row, by the largest value and the sum of exp(x - largest) in one pass over the row. A block
// reduction is a call of every thread, also of those that have no column.
constexpr int softmax_threads = 96;
using softmax_reduction = rowfold::block_reduce<rowfold::max_sum<float>, softmax_threads>;

__global__ void softmax_kernel(const float* x, float* y, int cols) {
  const float* row = x + static_cast<long long>(simt::block_rank()) * cols;
  float* out = y + static_cast<long long>(simt::block_rank()) * cols;
  const rowfold::max_sum_fold<float> fold;
  rowfold::max_sum<float> mine = fold.identity();
  for (int c = static_cast<int>(simt::thread_rank()); c < cols; c += softmax_threads) fold.add(mine, row[c], c);

  softmax_reduction reduction(simt::shared<softmax_reduction::TempStorage>());
  const rowfold::max_sum<float> all = reduction.all_reduce(mine, fold);
  for (int c = static_cast<int>(simt::thread_rank()); c < cols; c += softmax_threads) {
    out[c] = rowfold::math::exp(row[c] - all.max) / all.sum;
  }
}

// The column of each row's largest value, four rows of eight columns to a warp. No shared memory is involved.
__global__ void arg_max_kernel(const float* x, int* column) {
  const unsigned row = simt::thread_rank() / 8;
  const int c = static_cast<int>(simt::thread_rank() % 8);
  const rowfold::indexed<float, int> mine{x[row * 8 + static_cast<unsigned>(c)], c};
  const auto best = rowfold::warp_all_reduce<8>(mine, rowfold::arg_max{});
  if (c == 0) column[row] = best.index;
}

int main() {
  constexpr int rows = 4, cols = 8;
  const float log2 = 0.69314718f;
  const device_array<float> x({0,    0,    0,        0,        0, 0, 0, 0,    //
                               log2, 0,    0,        0,        0, 0, 0, 0,    //
                               -200, -200, 100,      -200,     0, 0, 0, 100,  //
                               0,    0,    2 * log2, 3 * log2, 0, 0, 0, 0});
  const device_array<float> y(rows * cols);
  const device_array<int> column(rows);

  rowfold::launch_config config;
  config.grid_blocks = rows;
  config.block_threads = softmax_threads;
  config.shared_bytes = sizeof(softmax_reduction::TempStorage);
  check(rowfold::launch(softmax_kernel, config, x.data(), y.data(), cols));
  config = {};
  config.block_threads = 32;
  check(rowfold::launch(arg_max_kernel, config, x.data(), column.data()));

  const float e = 1.0f / 8, n = 1.0f / 9, t = 1.0f / 18;
  const bool softmax_right = print_and_compare(y.values(), {e,     e, e,     e,     e, e, e, e,     //
                                                            2 * n, n, n,     n,     n, n, n, n,     //
                                                            0,     0, 0.5f,  0,     0, 0, 0, 0.5f,  //
                                                            t,     t, 4 * t, 8 * t, t, t, t, t},
                                               cols, 1e-6f);
  return softmax_right && column.values() == std::vector<int>{0, 0, 2, 3} ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// 3. LayerNorm inside a kernel of your own: the first step of a transformer. Before it, the kernel gathers a token's
//    word vector and adds the position's; after it, it keeps each row's largest magnitude, as a later quantiser wants
//    it. One launch in place of three, and layer_norm_row does not care what happened before.
#include "memory.hpp"
#include "rowfold/block/block_reduce.cuh"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/launch/launch.cuh"
#include "rowfold/layer_norm.cuh"

namespace simt = rowfold::simt;

constexpr int threads = 64;  // of a block, which handles one row: any multiple of 32

struct embed_shared {
  rowfold::row_group_storage norm;
  rowfold::block_reduce<float, threads>::TempStorage magnitude;
};

__global__ void embed_kernel(const int* tokens, const float* words, const float* positions, const float* gamma,
                             const float* beta, float* y, float* magnitudes, int cols) {
  embed_shared& shared = simt::shared<embed_shared>();
  const long long position = simt::block_rank();
  const float* word = words + static_cast<long long>(tokens[position]) * cols;
  float* row = y + position * cols;
  const int first = static_cast<int>(simt::thread_rank());

  for (int c = first; c < cols; c += threads) row[c] = word[c] + positions[position * cols + c];
  simt::sync_block();  // orders the sums above before layer_norm_row's loads of them by other threads

  rowfold::row_group<> group(threads, &shared.norm);
  rowfold::layer_norm_row(group, row, gamma, beta, row, cols, 1e-12f);
  simt::sync_block();  // orders layer_norm_row's stores before the loads below by other threads

  const rowfold::abs_max_fold<float> fold;
  float mine = fold.identity();
  for (int c = first; c < cols; c += threads) fold.add(mine, row[c], c);
  rowfold::block_reduce<float, threads> reduction(shared.magnitude);
  const float largest = reduction.reduce(mine, fold);
  if (first == 0) magnitudes[position] = largest;
}

int main() {
  constexpr int rows = 3, cols = 4;
  const device_array<int> tokens({1, 0, 1});
  const device_array<float> words({3, 3, 3, 3,  //
                                   0, 0, 2, 2});
  const device_array<float> positions({0, 0, 0, 0,   //
                                       -4, 0, 0, 4,  //
                                       5, 5, 7, 7});
  const device_array<float> gamma({1, 1, 1, 2});
  const device_array<float> beta({0, 0, 0, 1});
  const device_array<float> y(rows * cols), magnitudes(rows);

  rowfold::launch_config config;
  config.grid_blocks = rows;
  config.block_threads = threads;
  config.shared_bytes = sizeof(embed_shared);
  check(rowfold::launch(embed_kernel, config, tokens.data(), words.data(), positions.data(), gamma.data(), beta.data(),
                        y.data(), magnitudes.data(), cols));

  const float s = 1.41421356f;  // the row (-1, 3, 3, 7) has mean 3 and standard deviation sqrt(8)
  const bool rows_right = print_and_compare(y.values(),
                                            {-1, -1, 1, 3,         //
                                             -s, 0, 0, 2 * s + 1,  //
                                             -1, -1, 1, 3},
                                            cols, 1e-5f);
  return print_and_compare(magnitudes.values(), {3, 2 * s + 1, 3}, rows, 1e-5f) && rows_right ? 0 : 1;
}

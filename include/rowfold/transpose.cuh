// SPDX-License-Identifier: MIT
// Transpose: y[b][c][r] = x[b][r][c] for every matrix b of a batch, through tiles in shared memory.
//
//   rowfold::transpose(x, y, batch, rows, cols, stream);      // packed: [batch, rows, cols] -> [batch, cols, rows]
//
//   rowfold::transpose_args<float> args;                    // everything else: strides of rows and matrices of either
//   args.x = x; args.y = y; ... args.x_row_stride = 4096;   // side, plan requests
//   rowfold::transpose(args, stream);
//
// Elements: any trivially copyable type of 1, 2, 4 or 8 bytes, copied bit for bit, at any address that is a multiple of
// the element's size. Any shape, any stride; x and y must not overlap. Memory is accessed 16 bytes at a time, and
// element by element at the ends of rows that are not whole vectors. No byte outside the rows is read or written. Three
// kernels for each element size: one where the rows of both sides are whole vectors (memory/transpose_tile.hpp explains
// tile and threads), one for all others and one for large ones of those (memory/skewed_tile.hpp; single bytes have the
// same for both).
// memory/transpose_tuning.hpp holds the tuning.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_transpose refuses (nothing is written; the plan says why), or
// the error of the launch. A size of 0 is success, and nothing is launched. Called from the host, with the stream's
// device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/skewed_steps.cuh"
#include "rowfold/memory/transpose_steps.cuh"
#include "rowfold/memory/transpose_tuning.hpp"
#include "rowfold/numeric/divider.hpp"
#include "rowfold/ptx/l2_policy.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// What the kernel needs of a plan. Strides are in bytes.
struct transpose_tiling {
  long long rows, cols;  // of a matrix of x
  long long x_row_stride, x_batch_stride, y_row_stride, y_batch_stride;
  int rows_above;        // of the tile above, that a skewed tile needs
  bool joined_rows;      // rows of x lie one after the other
  l2_priority priority;  // of what is read
  // How blocks lie on tiles: bands, each walked down its columns, from left to right.
  divider tiles;                // of a matrix
  divider band_tiles;           // of a band
  divider height, last_height;  // of a band, in tiles; of a matrix's last band, which may be lower
  unsigned last_band;
};

inline namespace ROWFOLD_BACKEND {

namespace detail {

// The tile of a block.
struct tile_position {
  long long matrix, row, col;  // row and col: in tiles

  ROWFOLD_DEVICE tile_position(const transpose_tiling& tiling, unsigned block) {
    const unsigned in_matrix = tiling.tiles.remainder(block);
    const unsigned band = tiling.band_tiles.quotient(in_matrix);
    const unsigned in_band = tiling.band_tiles.remainder(in_matrix);
    const divider height = band < tiling.last_band ? tiling.height : tiling.last_height;
    matrix = tiling.tiles.quotient(block);
    row = band * tiling.height.divisor + height.remainder(in_band);
    col = height.quotient(in_band);
  }
};

ROWFOLD_DEVICE int up_to(long long value, int limit) { return value < limit ? static_cast<int>(value) : limit; }

}  // namespace detail

// One tile per block of Tile::threads threads.
template <class Tile>
__global__ void transpose_kernel(transpose_tiling tiling, const unsigned char* x, unsigned char* y) {
  simt::wait_for_previous_grid();  // orders the previous grid's writes before all loads below
  simt::allow_next_grid();         // the next grid waits at its own top, so it may start at any time
  auto& storage = simt::shared<transpose_storage<Tile>>();
  const detail::tile_position tile(tiling, simt::block_rank());
  const long long row = tile.row * Tile::rows;
  const long long col = tile.col * Tile::cols;
  const int rows = detail::up_to(tiling.rows - row, Tile::rows);
  const int cols = detail::up_to(tiling.cols - col, Tile::cols);
  x += tile.matrix * tiling.x_batch_stride + row * tiling.x_row_stride + col * Tile::element_bytes;
  y += tile.matrix * tiling.y_batch_stride + col * tiling.y_row_stride + row * Tile::element_bytes;
  detail::load_tile<Tile>({x, tiling.x_row_stride, rows, cols}, storage, make_l2_policy(tiling.priority));
  simt::sync_block();  // orders the writes of vectors by load_tile before their reads, by other threads, in store_tile
  detail::store_tile<Tile>({y, tiling.y_row_stride, rows, cols}, storage);
}

// The same for rows that start anywhere.
template <class Tile>
__global__ void skewed_transpose_kernel(transpose_tiling tiling, const unsigned char* x, unsigned char* y) {
  simt::wait_for_previous_grid();  // orders the previous grid's writes before all loads below
  simt::allow_next_grid();         // the next grid waits at its own top, so it may start at any time
  auto& storage = simt::shared<skewed_storage<Tile>>();
  const detail::tile_position tile(tiling, simt::block_rank());
  const long long row = tile.row * Tile::rows;
  const long long col = tile.col * Tile::cols;
  const auto place =
      detail::make_skewed_place<Tile>(row, tiling.rows, col, tiling.cols, tiling.rows_above, tiling.joined_rows);
  x += tile.matrix * tiling.x_batch_stride + (row - Tile::above) * tiling.x_row_stride + col * Tile::element_bytes;
  y += tile.matrix * tiling.y_batch_stride + col * tiling.y_row_stride + row * Tile::element_bytes;
  detail::load_skewed<Tile>(place, x, tiling.x_row_stride, storage, make_l2_policy(tiling.priority));
  simt::sync_block();  // orders the writes by load_skewed before their reads, by other threads, in store_skewed
  detail::store_skewed<Tile>(place, x, tiling.x_row_stride, y, tiling.y_row_stride, storage);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/launch.cuh"
#include "rowfold/transpose.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

// Where the blocks of `plan`, which is ready, find their tiles.
inline transpose_tiling make_transpose_tiling(const transpose_plan& plan) {
  const transpose_problem& problem = plan.problem;
  const long long size = problem.element_bytes;
  transpose_tiling tiling;
  tiling.rows = problem.rows;
  tiling.cols = problem.cols;
  tiling.x_row_stride = problem.x.row_stride * size;
  tiling.x_batch_stride = problem.x.batch_stride * size;
  tiling.y_row_stride = problem.y.row_stride * size;
  tiling.y_batch_stride = problem.y.batch_stride * size;
  tiling.rows_above = plan.rows_above;
  tiling.joined_rows = plan.joined_rows;
  const auto down = static_cast<unsigned>(tiles_along(problem.rows + plan.rows_above, plan.tile_rows));
  const auto across = static_cast<unsigned>(tiles_along(problem.cols, plan.tile_cols));
  const auto band = static_cast<unsigned>(plan.band);
  tiling.tiles = divider(down * across);
  tiling.band_tiles = divider(band * across);
  tiling.last_band = (down - 1) / band;
  tiling.height = divider(band);
  tiling.last_height = divider(down - tiling.last_band * band);
  tiling.priority = plan.input_priority;
  return tiling;
}

using transpose_kernel_pointer = void (*)(transpose_tiling, const unsigned char*, unsigned char*);

// The kernel of `plan`, which is ready; null where it has other tiles.
template <class Tiles>
transpose_kernel_pointer kernel_of(const transpose_plan& plan) {
  using aligned = typename Tiles::aligned;
  using skewed = typename Tiles::skewed;
  using large = typename Tiles::large_skewed;
  const auto has_tiles = [&plan](int rows, int cols, int threads) {
    return plan.tile_rows == rows && plan.tile_cols == cols && plan.block_threads == static_cast<unsigned>(threads);
  };
  if (plan.variant == transpose_variant::aligned && has_tiles(aligned::rows, aligned::cols, aligned::threads)) {
    return transpose_kernel<aligned>;
  }
  if (plan.variant == transpose_variant::skewed && has_tiles(skewed::rows, skewed::cols, skewed::threads)) {
    return skewed_transpose_kernel<skewed>;
  }
  if (plan.variant == transpose_variant::large_skewed && has_tiles(large::rows, large::cols, large::threads)) {
    return skewed_transpose_kernel<large>;
  }
  return nullptr;
}

}  // namespace detail

// Launches a transpose as `plan` says, which make_transpose_plan<Tiles> must have made for these arguments.
template <class Tiles, class T>
[[nodiscard]] cudaError_t launch_transpose_tiles(const transpose_args<T>& args, const transpose_plan& plan,
                                                 cudaStream_t stream = nullptr) {
  static_assert(__is_trivially_copyable(T), "a transpose copies bytes");
  static_assert(sizeof(T) == Tiles::aligned::element_bytes && sizeof(T) == Tiles::skewed::element_bytes &&
                    sizeof(T) == Tiles::large_skewed::element_bytes,
                "the tiles are for elements of another size");
  if (plan.status == plan_status::refused || plan.problem != make_transpose_problem(args)) return cudaErrorInvalidValue;
  if (plan.status == plan_status::nothing) return cudaSuccess;
  if (plan.status != plan_status::ready) return cudaErrorInvalidValue;
  const auto kernel = detail::kernel_of<Tiles>(plan);
  if (kernel == nullptr) return cudaErrorInvalidValue;
  launch_config config;
  config.grid_blocks = plan.grid_blocks;
  config.block_threads = plan.block_threads;
  config.shared_bytes = plan.shared_bytes;
  config.stream = stream;
  config.programmatic = args.request.programmatic;
  return launch(kernel, config, detail::make_transpose_tiling(plan), reinterpret_cast<const unsigned char*>(args.x),
                reinterpret_cast<unsigned char*>(args.y));
}

// The same with the tiles of plan_transpose.
template <class T>
[[nodiscard]] cudaError_t launch_transpose(const transpose_args<T>& args, const transpose_plan& plan,
                                           cudaStream_t stream = nullptr) {
  return launch_transpose_tiles<transpose_tiles<static_cast<int>(sizeof(T))>>(args, plan, stream);
}

// The transpose that `args` describes: plan_transpose for the current device (or args.plan), then the launch.
template <class T>
[[nodiscard]] cudaError_t transpose(const transpose_args<T>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_transpose(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_transpose(args, plan_transpose(args, device), stream);
}

// The transpose of `batch` packed matrices of [rows, cols].
template <class T>
[[nodiscard]] cudaError_t transpose(const T* x, T* y, std::int64_t batch, std::int64_t rows, std::int64_t cols,
                                    cudaStream_t stream = nullptr) {
  transpose_args<T> args;
  args.x = x;
  args.y = y;
  args.batch = batch;
  args.rows = rows;
  args.cols = cols;
  return transpose(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

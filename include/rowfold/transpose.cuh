// SPDX-License-Identifier: MIT
// Transpose: y[b][c][r] = x[b][r][c] for every matrix b of a batch, through tiles in shared memory.
//
//   rowfold::transpose(x, y, batch, rows, cols, stream);      // packed: [batch, rows, cols] -> [batch, cols, rows]
//
//   rowfold::transpose_args<__half> args;                     // everything else: strides of rows and matrices of either
//   args.x = x; args.y = y; ... args.x_row_stride = 4096;     // side, plan requests
//   rowfold::transpose(args, stream);
//
// Elements: any trivially copyable type of 1, 2, 4 or 8 bytes, copied bit for bit, at any address that is a multiple of
// the element's size. Any shape, any stride; x and y must not overlap. Every element is loaded once and stored once, 16
// bytes at a time where address, strides and row length allow it on that side, else the widest access they allow, with
// neighbouring threads on neighbouring pieces. No byte outside the rows is read or written. One kernel for each element
// size: memory/transpose_tile.hpp explains tile and threads, and holds the tuning.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_transpose refuses (nothing is written; the plan says why), or the
// error of the launch. A size of 0 is success, and nothing is launched. Called from the host, with the stream's device
// current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/transpose_tile.hpp"
#include "rowfold/memory/transposed_vector.cuh"
#include "rowfold/numeric/divider.hpp"
#include "rowfold/ptx/global_memory.cuh"
#include "rowfold/ptx/guarded_access.cuh"
#include "rowfold/simt/simt.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// What the kernel needs of a plan. Strides are in bytes.
struct transpose_tiling {
  long long rows, cols;  // of a matrix of x
  long long x_row_stride, x_batch_stride, y_row_stride, y_batch_stride;
  int x_access, y_access;  // bytes that one access moves
  // How blocks lie on tiles: bands, each walked down its columns, from left to right.
  divider tiles;                // of a matrix
  divider band_tiles;           // of a band
  divider height, last_height;  // of a band, in tiles; of a matrix's last band, which may be lower
  unsigned last_band;
};

inline namespace ROWFOLD_BACKEND {

// Vectors of y's rows, at Tile::offset.
template <class Tile>
struct transpose_storage {
  raw_bytes<16> vectors[Tile::shared_vectors];
};

namespace detail {

// A tile in memory: its first element, and how many rows and columns of x it has (fewer at the ends of a matrix).
template <class Byte>
struct tile_view {
  Byte* first;
  long long row_stride;
  int rows, cols;
};

// Puts the bytes of a piece where they belong in a row of 16; pieces come in increasing order.
template <int Bytes>
ROWFOLD_DEVICE void put_piece(unsigned (&row)[4], int piece, const raw_bytes<Bytes>& bytes) {
  if constexpr (Bytes >= 4) {
    ROWFOLD_UNROLL
    for (int i = 0; i < Bytes / 4; ++i) row[piece * (Bytes / 4) + i] = bytes.word[i];
  } else {
    const int bit = piece * Bytes % 4 * 8;
    unsigned value;
    if constexpr (Bytes == 2) {
      value = bytes.half_word;
    } else {
      value = bytes.byte;
    }
    row[piece * Bytes / 4] = (bit == 0 ? 0u : row[piece * Bytes / 4]) | value << bit;
  }
}

// Moves a tile of x into shared memory, turned over. Bytes: what one load moves.
template <class Tile, int Bytes>
ROWFOLD_DEVICE void load_tile(const tile_view<const unsigned char>& x, transpose_storage<Tile>& storage) {
  constexpr int elements = Bytes / Tile::element_bytes;
  constexpr int step = Tile::threads / Tile::in_vectors * Tile::vector;  // rows between a thread's micro tiles
  const int lane = static_cast<int>(simt::thread_rank()) % Tile::in_vectors;
  const int first = static_cast<int>(simt::thread_rank()) / Tile::in_vectors * Tile::vector;
  unsigned words[Tile::micro_tiles][Tile::vector][4];
  ROWFOLD_UNROLL
  for (int m = 0; m < Tile::micro_tiles; ++m) {
    const int row = first + m * step;
    const unsigned char* address = x.first + row * x.row_stride + lane * Bytes;
    ROWFOLD_UNROLL
    for (int i = 0; i < Tile::vector; ++i) {
      ROWFOLD_UNROLL
      for (int piece = 0; piece < 16 / Bytes; ++piece) {
        const bool exists = row + i < x.rows && Tile::column_of_piece(piece, lane, elements) < x.cols;
        put_piece(words[m][i], piece, load_or_zero<Bytes>(address + piece * Tile::in_vectors * Bytes, exists));
      }
      address += x.row_stride;
    }
  }
  const int own = Tile::offset(first, lane * elements);
  ROWFOLD_UNROLL
  for (int m = 0; m < Tile::micro_tiles; ++m) {
    ROWFOLD_UNROLL
    for (int i = 0; i < Tile::vector; ++i) {
      const int column = Tile::column_of_piece(i / elements, 0, elements) + i % elements;
      storage.vectors[(own ^ Tile::offset(m * step, column)) / 16] =
          transposed_vector<Tile::element_bytes>(words[m], i);
    }
  }
}

// The piece at `offset` bytes of shared memory. (Through memcpy: pieces are smaller than the vectors that were stored.)
template <int Bytes>
ROWFOLD_DEVICE raw_bytes<Bytes> load_piece(const raw_bytes<16>* vectors, int offset) {
  raw_bytes<Bytes> piece;
  const void* address = __builtin_assume_aligned(reinterpret_cast<const unsigned char*>(vectors) + offset, Bytes);
  memcpy(&piece, address, Bytes);
  return piece;
}

// Moves a tile from shared memory into y. Bytes: what one store moves. Rows and columns are x's.
template <class Tile, int Bytes>
ROWFOLD_DEVICE void store_tile(const tile_view<unsigned char>& y, const transpose_storage<Tile>& storage) {
  constexpr int elements = Bytes / Tile::element_bytes;
  constexpr int step = Tile::threads / Tile::out_vectors;  // columns that the block stores at a time
  const int lane = static_cast<int>(simt::thread_rank()) % Tile::out_vectors;
  const int first = static_cast<int>(simt::thread_rank()) / Tile::out_vectors;
  const int own = Tile::offset(lane * elements, first);
  unsigned char* address = y.first + first * y.row_stride + lane * Bytes;
  ROWFOLD_UNROLL
  for (int i = 0; i < Tile::cols / step; ++i) {
    ROWFOLD_UNROLL
    for (int piece = 0; piece < 16 / Bytes; ++piece) {
      const int row = Tile::row_of_piece(piece, 0, elements);
      const auto bytes = load_piece<Bytes>(storage.vectors, own ^ Tile::offset(row, i * step));
      const bool exists = first + i * step < y.cols && Tile::row_of_piece(piece, lane, elements) < y.rows;
      store_if<Bytes>(address + piece * Tile::out_vectors * Bytes, bytes, exists);
    }
    address += step * y.row_stride;
  }
}

// The same by the width of an access, which all threads agree on.
template <class Tile, int Bytes = 16>
ROWFOLD_DEVICE void load_tile_by(int access, const tile_view<const unsigned char>& x,
                                 transpose_storage<Tile>& storage) {
  if constexpr (Bytes > Tile::element_bytes) {
    if (access < Bytes) return load_tile_by<Tile, Bytes / 2>(access, x, storage);
  }
  load_tile<Tile, Bytes>(x, storage);
}
template <class Tile, int Bytes = 16>
ROWFOLD_DEVICE void store_tile_by(int access, const tile_view<unsigned char>& y,
                                  const transpose_storage<Tile>& storage) {
  if constexpr (Bytes > Tile::element_bytes) {
    if (access < Bytes) return store_tile_by<Tile, Bytes / 2>(access, y, storage);
  }
  store_tile<Tile, Bytes>(y, storage);
}

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
  detail::load_tile_by<Tile>(tiling.x_access, {x, tiling.x_row_stride, rows, cols}, storage);
  simt::sync_block();  // orders the writes of vectors by load_tile before their reads, by other threads, in store_tile
  detail::store_tile_by<Tile>(tiling.y_access, {y, tiling.y_row_stride, rows, cols}, storage);
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

// Launches a transpose as `plan` says, which make_transpose_plan<Tile> must have made for these arguments.
template <class Tile, class T>
[[nodiscard]] cudaError_t launch_transpose_tiles(const transpose_args<T>& args, const transpose_plan& plan,
                                                 cudaStream_t stream = nullptr) {
  static_assert(__is_trivially_copyable(T), "a transpose copies bytes");
  static_assert(sizeof(T) == Tile::element_bytes, "the tile is for elements of another size");
  if (plan.status == plan_status::refused || plan.problem != make_transpose_problem(args)) return cudaErrorInvalidValue;
  if (plan.status == plan_status::nothing) return cudaSuccess;
  if (plan.status != plan_status::ready || plan.tile_rows != Tile::rows || plan.tile_cols != Tile::cols ||
      plan.block_threads != Tile::threads) {
    return cudaErrorInvalidValue;
  }
  const transpose_problem& problem = plan.problem;
  constexpr long long size = Tile::element_bytes;
  transpose_tiling tiling;
  tiling.rows = problem.rows;
  tiling.cols = problem.cols;
  tiling.x_row_stride = problem.x.row_stride * size;
  tiling.x_batch_stride = problem.x.batch_stride * size;
  tiling.y_row_stride = problem.y.row_stride * size;
  tiling.y_batch_stride = problem.y.batch_stride * size;
  const auto down = static_cast<unsigned>(detail::tiles_along(problem.rows, Tile::rows));
  const auto across = static_cast<unsigned>(detail::tiles_along(problem.cols, Tile::cols));
  const auto band = static_cast<unsigned>(plan.band);
  tiling.tiles = divider(down * across);
  tiling.band_tiles = divider(band * across);
  tiling.last_band = (down - 1) / band;
  tiling.height = divider(band);
  tiling.last_height = divider(down - tiling.last_band * band);
  tiling.x_access = plan.x_access;
  tiling.y_access = plan.y_access;
  launch_config config;
  config.grid_blocks = plan.grid_blocks;
  config.block_threads = plan.block_threads;
  config.shared_bytes = plan.shared_bytes;
  config.stream = stream;
  config.programmatic = args.request.programmatic;
  return launch(transpose_kernel<Tile>, config, tiling, reinterpret_cast<const unsigned char*>(args.x),
                reinterpret_cast<unsigned char*>(args.y));
}

// The same with the tile of plan_transpose.
template <class T>
[[nodiscard]] cudaError_t launch_transpose(const transpose_args<T>& args, const transpose_plan& plan,
                                           cudaStream_t stream = nullptr) {
  return launch_transpose_tiles<transpose_tuning::tile<static_cast<int>(sizeof(T))>>(args, plan, stream);
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

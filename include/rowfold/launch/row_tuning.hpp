// SPDX-License-Identifier: MIT
// The row engine's tuning: its numbers, and how many lanes fold a row. row_kernels.hpp says which kernels there are.
// Sources, maps and sinks that need other numbers of registers say so beside their definition. Measured with bfloat16
// and float LayerNorm on an H200 (bench/results) unless a line says with what; fractions are of the best
// device-to-device copy.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/numeric/power_of_two.hpp"
#include "rowfold/row/fold_class.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

struct row_tuning {
  // Granules of 16 bytes per thread, all loaded before the first is used: enough of them to keep the memory busy, and
  // few enough that the registers leave enough threads.
  static constexpr int max_vectors = 4;
  // Norms of narrow elements in part of a warp: with 5, rows of 640 and 1280 columns waste no instructions (bfloat16:
  // 0.970 and 0.976, with 4 0.862 and 0.823).
  static constexpr int max_norm_vectors = 5;
  // Wide elements (4 and 8 bytes) have so little arithmetic per byte that 2 granules and more threads are best, as long
  // as a row fits the lanes of a warp that way (float, 256 columns: 0.99 with 2 and 0.97 with 4). The same of folds
  // with an exponential per column (fold_class::softmax), whose values take more registers (a prototype: 0.97 with 1 or
  // 2, 0.90 to 0.95 with 4). With 4, a block makes up for what each of its threads does once a row (bfloat16 softmax,
  // 5120 columns: 0.96 with 3, 0.89 with 2).
  static constexpr int few_vectors = 2;
  // Four neighbouring lanes read at least one full 64-byte piece together.
  static constexpr int min_lanes = 4;
  // A block. 1024 threads would halve the registers that a thread may use.
  static constexpr int max_lanes = 512;
  // Threads of a block with several rows: few, so that a block ends and makes room early (1024 columns of bfloat16:
  // 0.98 with 64, 0.96 with 128), but 64 with 2 granules each are too few for the 32 blocks that a multiprocessor
  // holds, and for fold_class::softmax (0.79 of a copy at every width up to 1024 columns).
  static constexpr int shared_block_threads = 64;
  static constexpr int more_shared_block_threads = 128;
  // Blocks that move fewer bytes would be launched more slowly than memory reads and writes: some 830 of them in a
  // microsecond (768 columns of bfloat16 to 8 bits, 4.6 KB in blocks of 64 threads: 0.88 of a copy).
  static constexpr int least_block_bytes = 5 * 1024;
  // The same where rows are staged in shared memory.
  static constexpr int staged_block_threads = 128;
  // Rows that are folded once and not stored: granules that a thread loads before it folds the first, and how many a
  // row leaves for each thread, so that merging what threads have folded is a small part of the work. A block of 256
  // threads with 40 registers fits a multiprocessor six times (cross-entropy of bfloat16, 8192 to 262144 columns, in a
  // prototype).
  static constexpr int streamed_vectors = 4;
  static constexpr int streamed_granules = 8;
  // Rows of so many granules are few in any memory, and blocks of 256 threads would leave the last of their turns half
  // empty (262144 columns of bfloat16, 1024 rows: 0.79 of a copy with 256 threads, 0.97 with 512).
  static constexpr int max_streamed_lanes = 256;
  static constexpr int wide_streamed_granules = 24576;
  static constexpr int wide_streamed_lanes = 512;
  static constexpr int streamed_registers(bool whole_block) { return whole_block ? 40 : 48; }
  // Rows of which nothing is folded: bytes that a thread has on their way at once. Narrow elements
  // get twice as many: what a thread does before its first load, some 120 instructions, is then shared by more of them
  // (SiLU of bfloat16: 29 instructions for each result where it was 32, and a copy leaves time for about 40).
  static constexpr int part_bytes(int granule) { return granule <= 4 ? 64 : 128; }
  // Granules of a thread where a granule of all inputs has so many bytes.
  static constexpr int part_vectors(int granule, int granule_bytes) {
    const int vectors = part_bytes(granule) / granule_bytes;
    return vectors >= 4 ? 4 : vectors >= 2 ? 2 : 1;
  }
  static constexpr int part_block_threads = 128;
  // A limit for functions that compute much, such as GELU: 8 or 6 blocks fit a multiprocessor.
  static constexpr int part_registers(int granule) { return granule <= 4 ? 64 : 80; }
  // On top of a sink's own limit, where a source or a map computes what it stores (the least without spills: a gate).
  static constexpr int part_more_registers = 8;
  // Numbers of parts stay below it: the kernel divides in 31 bits, and the last block may have parts to spare.
  static constexpr std::int64_t max_parts = 0x7fffffff - part_block_threads;
  // Shared memory of a row that is read once where it is not aligned: four blocks of a multiprocessor take turns.
  static constexpr int streamed_stage_bytes = 48 * 1024;
  // Shared memory of a row that is read part by part: a third of what a multiprocessor has, so that one block of three
  // folds while others load.
  static constexpr int reread_stage_bytes = 72 * 1024;
  // Rows whose columns lie apart (row/across_warps.cuh): as many threads side by side as a warp has, so that what they
  // load lies together; fewer where a row has so many lanes that the block would exceed its most threads, and more
  // where it would have less than its least.
  static constexpr int spaced_slots = 32;
  static constexpr int spaced_least_threads = 128;
  static constexpr int spaced_most_threads = 512;
  // Of threads with two rows, 256 leave less to wait for at a barrier (784 x 512 channels of bfloat16: 0.78 of a copy,
  // with 512 threads 0.56), where the pieces that 512 would load fill sectors no better: not with more than 32 lanes
  // (float, 768 channels: 0.68 and 0.79), and not where columns begin anywhere in a sector (196 x 384 channels: 0.50
  // and 0.64).
  static constexpr int spaced_most_threads_of_pairs = 256;
  static constexpr int spaced_most_lanes_of_pairs = 32;
  static constexpr int sector_bytes = 32;
  // Granules that a thread loads at a time where such rows are read again in each pass.
  static constexpr int spaced_reread_vectors = 2;
  // Shared memory of each thread: two states of 16 bytes. op_kernels.cuh asserts it.
  static constexpr unsigned spaced_thread_bytes = 2 * 16;
  // Shared memory that a block has on every GPU, without opting in.
  static constexpr int least_shared_bytes = 48 * 1024;
  // sizeof(row_group_storage): two slots of 32 warps' states of 16 bytes. op_kernels.cuh asserts it.
  static constexpr unsigned group_shared_bytes = 2 * 32 * 16;

  // Columns are int, and the last batch of granules may reach past the last column: keep that in range.
  static constexpr int max_cols = 0x7fffffff - 2 * max_lanes * max_vectors * 16;
  static constexpr std::int64_t max_grid_blocks = 0x7fffffff;
  // No memory holds as many; below it, counts of bytes fit 63 bits.
  static constexpr std::int64_t max_elements = std::int64_t{1} << 52;

  // Of the kernels for rows whose columns lie apart: with 64, two blocks of spaced_most_threads fit a multiprocessor
  // (with the 72 of 5 narrow granules, one). Narrow elements arrive in a register each.
  static constexpr int spaced_registers(int vectors, bool wide) { return (wide ? 24 : 32) + 8 * vectors; }
  // The same where a thread holds two rows: with 80, three blocks of spaced_most_threads_of_pairs fit.
  static constexpr int spaced_pair_registers(int vectors, bool widens) { return 40 + 8 * vectors + (widens ? 8 : 0); }
  // The same where rows are read again in each pass.
  static constexpr int spaced_reread_registers = 64;
  // Registers per thread of a kernel: what bounds how many threads a multiprocessor holds. `wide` tells elements of 4
  // bytes and more from narrower ones, which take more registers once they are unpacked.
  static constexpr int max_registers(fold_class fold, bool whole_block, int vectors, bool wide) {
    if (fold == fold_class::softmax) return vectors > few_vectors ? (wide ? 40 : 56) : 40;
    if (wide) return 24 + 8 * vectors;  // 40 and 56 for 2 and 4
    if (whole_block) return 64;
    if (vectors == 3 && fold == fold_class::sum) return 56;  // two granules may be missing
    return vectors <= 3 ? 48 : vectors == 4 ? 72 : 88;       // bfloat16, 1024 columns: 0.98 with 72, 0.95 with 80
  }
  // Fewer where part of a warp holds 4 granules of bfloat16 for two folds and nothing else: 64 registers leave room for
  // 16 blocks of 64 threads (LayerNorm, 1024 columns: 252 us, with 72 registers 255, with 80 265). __half would spill.
  static constexpr int fewer_plain_registers(fold_class fold, bool whole_block, int vectors, bool wide) {
    return fold == fold_class::norm && !whole_block && vectors == 4 && !wide ? 8 : 0;
  }
  // Needed on top by part of a warp that holds 3 granules of __half, which takes conversions where bfloat16 takes
  // shifts (768 columns: bfloat16 0.97 with 48 registers and 0.945 with 56, half 0.976 with 56; with 48 it spills).
  static constexpr int half_registers(fold_class fold, bool whole_block, int vectors) {
    return fold == fold_class::norm && !whole_block && vectors == 3 ? 8 : 0;
  }
  // Of the kernel for 4 lanes that hold 2 granules each of narrow elements (64 columns of bfloat16: 0.97, where the
  // kernel for any number of lanes reached 0.91).
  static constexpr int four_lane_registers(fold_class fold) {
    return fold == fold_class::softmax ? max_registers(fold, false, 2, false) : 48;
  }
  // Needed on top where a thread keeps more than 16 bytes of a granule, and by parameters and results that are wider
  // than the source's elements.
  static constexpr int more_registers(int kept_bytes, int vectors, bool widens) {
    return (kept_bytes - 16) / 4 * vectors + (widens ? 8 : 0);
  }
  // Needed on top where granules of several tensors become what is kept: the addresses of tensors that a plain source
  // and sink do not have. Kernels of a block, which find the outputs' addresses late, and those with registers to spare
  // need less.
  static constexpr int keeping_registers(int vectors, bool block, bool wide) {
    const bool merges_late = block && vectors == 4 && !wide;  // its sums of two words and the row fill 72 registers
    return vectors <= 3 || (wide && !block) || merges_late ? 16 : 8;
  }
  // The least of such kernels: all loaded granules, of `read_bytes` together, and what addresses them; for more than 16
  // bytes of a tensor, which come by several loads, some to put their words in order.
  static constexpr int loading_registers(int read_bytes, int vectors) {
    return read_bytes / 4 * vectors + (read_bytes > 32 ? 36 : 20);
  }
  // Fewer where a thread of 4 granules keeps what a map makes of them (row/kept_results.cuh): values and results take
  // turns in the same registers (bfloat16 RMSNorm to e4m3, 8192 columns: 48 registers, 0.89 of a copy, with 64 0.86),
  // and a sink of 8-bit codes needs none of its own. (Part of a warp with wide elements: the least without spills.)
  static constexpr int fewer_kept_registers(bool block, bool wide) { return wide && !block ? 16 : 24; }
  // Of the kernels that stage rows: with 40, three blocks of 512 threads fit a multiprocessor (32768 columns of
  // bfloat16: 0.78, with two blocks 0.68). The kernel for any address, which has the map's options, needs more.
  static constexpr int staged_registers(bool any_access, bool widens) {
    return (any_access ? 56 : 40) + (widens ? 8 : 0);
  }
  // The same where several tensors become what is kept; `widens` as above, `any_access` for rows at any address.
  static constexpr int staged_keeping_registers(bool any_access, bool widens) {
    return 64 + (any_access ? 8 : 0) + (widens ? 24 : 0);
  }
  // Whether part of a warp that holds `vectors` granules a lane asks for all parameters at once: best with 4 (1024
  // columns of bfloat16: 0.982 of a copy, else 0.977; with 5, 0.937 and 0.966, since there it takes a sixth of the
  // threads).
  static constexpr bool asks_at_once(int vectors) { return vectors == 4; }
  // When a block asks for its row's parameters. Those of so few bytes a granule before the folds: registers hold them
  // (bfloat16 RMSNorm, 2048 columns: 0.987 of a copy, as they are used 0.981).
  static constexpr int early_bytes = 16;
  // More of them in calls that read no more bytes than memory has on its way at any time, which have nothing else to do
  // while their parameters arrive (bfloat16 LayerNorm, 4096 columns, 1 row: 1.9 microseconds, and 2.8 as they are
  // used). Large calls are faster with more threads (4096 columns: 0.998 of a copy, early 0.984).
  static constexpr std::int64_t small_call_bytes = 4 << 20;
  // Registers that parameters of `bytes` a granule take on top, of 4 granules: 8, since they lie where the row's values
  // are unpacked later; of more bytes than those are, as many more (the least without spills).
  static constexpr int early_registers(int bytes) { return bytes <= 32 ? 8 : bytes - 24; }
  // None of narrow elements of early_bytes that the map fetches, so that two blocks of 512 threads fit (bfloat16
  // RMSNorm, 16384 columns: 0.96 of a copy, else 0.70). Not where several tensors become what is kept: 8 fewer did not
  // make room for a block, and cost time (residual + RMSNorm, 256 x 8192 in L2: 4.25 microseconds, else 3.65).
  static constexpr bool needs_no_early_registers(fold_class fold, int bytes, bool wide) {
    return fold != fold_class::softmax && bytes <= early_bytes && !wide;
  }
  // And where several tensors become what is kept, most where the source needs registers of its own for that (dropout;
  // gates have no parameters to ask for); and of norms of __half, for its conversions.
  static constexpr int early_keeping_registers(bool wide, bool by_more) { return (wide ? 16 : 8) + (by_more ? 8 : 0); }
  static constexpr int early_half_registers = 16;
  // Of any kernel: what the 65536 registers of a multiprocessor leave each of max_lanes threads.
  static constexpr int register_limit = 65536 / max_lanes;
};

namespace detail {

constexpr int ceil_div(int a, int b) { return a / b + (a % b != 0 ? 1 : 0); }

constexpr int ceil_power_of_two(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

// A granule of so few columns has elements of 4 bytes or more.
constexpr bool has_wide_elements(int granule) { return granule <= 4; }

// Whether a row takes so many instructions a byte that kernels for it must not waste any.
constexpr bool is_narrow_norm(int granule, fold_class fold) {
  return fold == fold_class::norm && !has_wide_elements(granule);
}

// Whether few_vectors granules are best where they hold the row.
constexpr bool prefers_few_vectors(int granule, fold_class fold) {
  return fold == fold_class::softmax || has_wide_elements(granule);
}

// Whether a whole block of so many warps folds with the fewest instructions: block_all_reduce_warps
// (block/block_reduce.cuh) merges 2 to 16 partial results if they are a power of two, or two of these.
constexpr bool merges_directly(int warps) {
  const int rest = warps & (warps - 1);
  return warps >= 2 && warps <= 16 && (rest & (rest - 1)) == 0;
}

// The fewest warps of such a block that hold a row of more granules than a warp does.
constexpr int block_warps(int granules) {
  int warps = ceil_div(granules, 32 * row_tuning::max_vectors);
  while (!merges_directly(warps)) ++warps;
  return warps;
}

}  // namespace detail

// Granules a lane that part of a warp holds.
constexpr int max_warp_vectors(int granule, fold_class fold) {
  return detail::is_narrow_norm(granule, fold) ? row_tuning::max_norm_vectors : row_tuning::max_vectors;
}

// The lanes that fold a row of `cols` columns in granules of `granule`: the fewest that hold it, a power of two in part
// of a warp.
constexpr int default_lanes(int cols, int granule, fold_class fold = fold_class::norm) {
  const int granules = detail::ceil_div(cols, granule);
  const int least = fold == fold_class::softmax ? 1 : row_tuning::min_lanes;
  if (granules <= least) return granules == 3 ? 2 : granules;
  const bool few = detail::prefers_few_vectors(granule, fold) && granules <= 32 * row_tuning::few_vectors;
  const int vectors = few ? row_tuning::few_vectors : max_warp_vectors(granule, fold);
  if (granules > row_tuning::max_lanes * row_tuning::max_vectors) return row_tuning::max_lanes;
  if (granules > 32 * vectors) return 32 * detail::block_warps(granules);
  const int lanes = detail::ceil_power_of_two(detail::ceil_div(granules, vectors));
  return lanes < least ? least : lanes;
}

// The lanes that fold a row where nothing else is done with it.
constexpr int streamed_lanes(int cols, int granule) {
  const int granules = detail::ceil_div(cols, granule);
  if (granules <= row_tuning::min_lanes) return default_lanes(cols, granule);
  if (granules > row_tuning::wide_streamed_granules) return row_tuning::wide_streamed_lanes;
  const int lanes = detail::ceil_power_of_two(detail::ceil_div(granules, row_tuning::streamed_granules));
  if (lanes < row_tuning::min_lanes) return row_tuning::min_lanes;
  return lanes < row_tuning::max_streamed_lanes ? lanes : row_tuning::max_streamed_lanes;
}

// Parts of a row of `granules` that lanes with `vectors` granules each make.
constexpr int row_parts(int granules, int lanes, int vectors) { return detail::ceil_div(granules, lanes * vectors); }

// The lanes of a part of a row where nothing is folded: as many of a warp as leave at most one granule in nine without
// work, or those that leave the fewest. Two at least, so that each load of theirs covers whole sectors of 32 bytes.
constexpr int part_lanes(int granules, int vectors) {
  int best = granules < 2 * vectors ? 1 : 2;
  int fewest = row_parts(granules, best, vectors) * best;
  for (int lanes = best; lanes <= 32; lanes *= 2) {
    const int slots = row_parts(granules, lanes, vectors) * lanes;
    if (slots > fewest && slots * vectors - granules > granules / 8) continue;
    best = lanes;
    if (slots < fewest) fewest = slots;
  }
  return best;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

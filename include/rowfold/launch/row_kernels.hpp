// SPDX-License-Identifier: MIT
// The kernels that hold rows in registers: which there are, and which of them serves a row. The planner asks, the
// launcher instantiates those and no others. Measured as row_tuning.hpp says.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/row/fold_class.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
namespace detail {

// Whether rows are those of the kernel for 4 lanes that hold 2 granules of narrow elements each, none of them missing.
constexpr bool fills_four_lanes(int cols, int lanes, int granule) {
  return lanes == 4 && cols == 2 * 4 * granule && !has_wide_elements(granule);
}

}  // namespace detail

// A kernel for complete, aligned granules in registers: granules per lane, and how many of the last of them may be
// missing.
struct held_kernel {
  int vectors;
  int spare;
};

// The kernel of part of a warp that holds up to `vectors` granules a lane. Norms of narrow elements have so much to do
// that a granule which may be missing costs them 2 % (bfloat16 LayerNorm, 768 columns: 0.975 and 0.952).
constexpr held_kernel warp_held_kernel(int vectors, int granule, fold_class fold) {
  constexpr int few = row_tuning::few_vectors;
  constexpr int most = row_tuning::max_vectors;
  if (detail::is_narrow_norm(granule, fold)) return {vectors < few ? few : vectors, 1};
  // Two kernels serve the others, one for up to 2 or 3 granules and one for the rest of up to 4.
  const int small = detail::prefers_few_vectors(granule, fold) ? few : most - 1;
  return vectors <= small ? held_kernel{small, small - 1} : held_kernel{most, most - small};
}

// The kernels of a block: one asks for parameters early, or has none; the other one asks for them as they are used, and
// loses 2 %, too, in norms of narrow elements if a second granule may be missing (8192 columns: 0.969 and 0.947).
constexpr held_kernel early_block_kernel() { return {row_tuning::max_vectors, 2}; }
constexpr held_kernel late_block_kernel(int granule, fold_class fold) {
  return {row_tuning::max_vectors, detail::is_narrow_norm(granule, fold) ? 1 : 2};
}

constexpr bool serves(const held_kernel& kernel, int granules, int lanes) {
  return granules <= kernel.vectors * lanes && granules >= (kernel.vectors - kernel.spare) * lanes;
}

// Granules per lane of the kernel that serves `granules` of them, or 0 where none does. In a block the early kernel
// serves every row that the late one does.
constexpr int held_kernel_vectors(int granules, int lanes, int granule, fold_class fold) {
  if (lanes > 32) {
    const bool merges = lanes % 32 == 0 && detail::merges_directly(lanes / 32);
    return merges && serves(early_block_kernel(), granules, lanes) ? early_block_kernel().vectors : 0;
  }
  const int vectors = detail::ceil_div(granules, lanes);
  if (detail::fills_four_lanes(granules * granule, lanes, granule)) return 2;
  if (!detail::is_power_of_two(lanes) || vectors > max_warp_vectors(granule, fold)) return 0;
  const held_kernel kernel = warp_held_kernel(vectors, granule, fold);
  return serves(kernel, granules, lanes) ? kernel.vectors : 0;
}

// When a block asks for its row's parameters (row_tuning::early_bytes). In every call, where those of a granule have so
// few bytes; but not those of wide elements where a fold is over what the map makes: the kernel that asks for them as
// they are used has 40 registers, three blocks of 512 threads (float RMSNorm to e4m3, 8192 columns: 0.95 of a copy,
// early 0.85).
constexpr bool always_early(int parameter_bytes, bool maps_in_fold, int granule) {
  return parameter_bytes <= row_tuning::early_bytes && !(maps_in_fold && detail::has_wide_elements(granule));
}
// Else in small calls, and where the kernel that asks late does not serve the row.
constexpr bool late_kernel_serves(int granules, int lanes, int granule, fold_class fold) {
  return serves(late_block_kernel(granule, fold), granules, lanes);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

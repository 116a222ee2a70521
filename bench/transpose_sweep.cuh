// SPDX-License-Identifier: MIT
//
// The search for transpose_tuning: other tiles, and other heights of bands. The names:
//   transpose_tile_<in>x<out>x<micro>/...    vectors in a row of x and of y in a tile; micro tiles of a thread
//   transpose_band_<tiles>/...               the tile of the library, other bands
#pragma once

#include "transpose_cases.cuh"

namespace rowfold_bench {

/// Registers all of them. `data` must live until the benchmarks have run.
void register_sweep(session& run, transpose_data& data);

}  // namespace rowfold_bench

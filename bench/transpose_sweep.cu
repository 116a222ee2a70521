// SPDX-License-Identifier: MIT
//
// See transpose_sweep.cuh.

#include "transpose_sweep.cuh"

namespace rowfold_bench {
namespace {

constexpr std::int64_t swept_widths[] = {16384, 256};

template <class T, int InVectors, int OutVectors, int MicroTiles>
struct other_tiles : rowfold::transpose_tiles<static_cast<int>(sizeof(T))> {
  using aligned = rowfold::transpose_tile<static_cast<int>(sizeof(T)), InVectors, OutVectors, MicroTiles>;
};

template <class T, int InVectors, int OutVectors, int MicroTiles>
void register_tile(session& run, transpose_data& data) {
  using tiles = other_tiles<T, InVectors, OutVectors, MicroTiles>;
  const std::string op = "transpose_tile_" + std::to_string(InVectors) + "x" + std::to_string(OutVectors) + "x" +
                         std::to_string(MicroTiles);
  for (const std::int64_t cols : swept_widths) {
    register_transpose<T, tiles>(run, data, op, 1, static_cast<std::int64_t>(run.elements()) / cols, cols);
  }
}

template <class T>
void register_bands(session& run, transpose_data& data) {
  for (const int band : {1, 2, 4, 8, 16, 32, 64, 128}) {
    for (const std::int64_t cols : swept_widths) {
      register_transpose<T>(run, data, "transpose_band_" + std::to_string(band), 1,
                            static_cast<std::int64_t>(run.elements()) / cols, cols, 0, band);
    }
  }
}

}  // namespace

void register_sweep(session& run, transpose_data& data) {
  register_bands<__nv_bfloat16>(run, data);
  register_bands<float>(run, data);
  register_tile<__nv_bfloat16, 8, 8, 1>(run, data);
  register_tile<__nv_bfloat16, 16, 8, 1>(run, data);
  register_tile<__nv_bfloat16, 8, 16, 1>(run, data);
  register_tile<__nv_bfloat16, 16, 16, 1>(run, data);
  register_tile<__nv_bfloat16, 32, 8, 1>(run, data);
  register_tile<__nv_bfloat16, 8, 32, 1>(run, data);
  register_tile<float, 8, 8, 1>(run, data);
  register_tile<float, 8, 16, 1>(run, data);
  register_tile<float, 16, 16, 1>(run, data);
  register_tile<float, 16, 16, 2>(run, data);
  register_tile<float, 32, 16, 2>(run, data);
  register_tile<float, 16, 32, 2>(run, data);
  register_tile<float, 32, 32, 4>(run, data);
}

}  // namespace rowfold_bench

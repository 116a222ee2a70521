// SPDX-License-Identifier: MIT
// The stage of an RMSNorm whose rows become codes of 8 bits: of rms_norm_quantize and add_rms_norm_quantize, which give
// the same codes for the same rows.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/quantized.hpp"
#include "rowfold/row/rms_normalize.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Whether squares are summed by granules, which is more exact, or one by one. Kernels that make a scale of each row
// keep its normalised values for it; those of 16-bit elements then have neither registers nor instructions to spare
// (bfloat16 to e4m3, 8192 columns on an H200: 0.91 of a copy, by granules 0.86; 1024 columns: 0.925 and 0.91).
template <quantize_scale Mode, class X>
inline constexpr square_sums squares_of_codes = Mode == quantize_scale::per_row && sizeof(X) == 2
                                                    ? square_sums::one_by_one
                                                    : square_sums::by_granule;

// The stage for rows of `cols` columns, at least 1, of type X (of a residual addition: the type of the sum). eps is
// rounded once.
template <quantize_scale Mode, class X>
ROWFOLD_HOST_DEVICE constexpr auto rms_stages_of_codes(int cols, double eps) {
  return rms_stages<float, accurate_math, squares_of_codes<Mode, X>>(cols, static_cast<float>(eps));
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

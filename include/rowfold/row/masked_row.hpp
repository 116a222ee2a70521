// SPDX-License-Identifier: MIT
// What a softmax makes of rows that it cannot normalise.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// What becomes of a row that has no value but -inf, because all its columns are masked.
enum class masked_row {
  nan,   // NaN, as the definition gives
  zero,  // softmax: zeros; log-softmax: -inf
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
#pragma once

namespace rowfold_test {

// Whether float counts subnormal numbers as zero on the device (-ftz=true, a part of --use_fast_math): then tests expect
// nothing of them, and those of the smallest numbers look at small normal ones.
#if defined(ROWFOLD_TEST_SUBNORMALS_ARE_ZERO)
inline constexpr bool subnormals_are_zero = true;
#else
inline constexpr bool subnormals_are_zero = false;
#endif

}  // namespace rowfold_test

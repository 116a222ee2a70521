// SPDX-License-Identifier: MIT
// Whether tests may expect anything of subnormal numbers on the device.
#pragma once

#include "support/element.hpp"

namespace rowfold_test {

// Whether float counts subnormal numbers as zero on the device (-ftz=true, a part of --use_fast_math): then tests
// expect nothing of them, and those of the smallest numbers look at small normal ones.
#if defined(ROWFOLD_TEST_SUBNORMALS_ARE_ZERO)
inline constexpr bool subnormals_are_zero = true;
#else
inline constexpr bool subnormals_are_zero = false;
#endif

// The same of the smallest numbers of a type: those of half are normal numbers of float, and double keeps its own.
constexpr bool counts_as_zero_below_normal(element type) {
  return subnormals_are_zero && type != element::float16 && type != element::float64;
}

}  // namespace rowfold_test

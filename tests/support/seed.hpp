// SPDX-License-Identifier: MIT
// The seed of all random test inputs: printed by every test program, set by the environment variable ROWFOLD_TEST_SEED.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace rowfold_test {

inline std::uint64_t seed() {
  const char* text = std::getenv("ROWFOLD_TEST_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

}  // namespace rowfold_test

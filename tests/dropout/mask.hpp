// SPDX-License-Identifier: MIT
// Which elements a dropout drops, one at a time on the host: Philox 4x32-10 and the comparison with p, written down
// once more.
#pragma once

#include <cmath>
#include <cstdint>

namespace rowfold_test {

// The 32 random bits of an element.
inline std::uint32_t philox_word(std::uint64_t seed, std::uint64_t offset, std::uint64_t element) {
  const std::uint64_t block = element / 4;
  std::uint32_t counter[4] = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                              static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset >> 32)};
  std::uint32_t key[2] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter[0] = static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0];
    counter[1] = static_cast<std::uint32_t>(b);
    counter[2] = static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1];
    counter[3] = static_cast<std::uint32_t>(a);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter[element % 4];
}

// Whether the element is dropped: its number of [0, 1), of 24 bits, is below p.
inline bool is_dropped(double p, std::uint64_t seed, std::uint64_t offset, std::uint64_t element) {
  return std::ldexp(static_cast<double>(philox_word(seed, offset, element) >> 8), -24) < p;
}

// The result in float, where x is a float.
inline double dropped_float(double x, double p, std::uint64_t seed, std::uint64_t offset, std::uint64_t element) {
  if (p == 0) return x;
  if (is_dropped(p, seed, offset, element)) return 0;
  const auto scale = static_cast<float>(1 / (1 - p));
  const volatile float product = static_cast<float>(x) * scale;
  return static_cast<double>(product);
}

}  // namespace rowfold_test

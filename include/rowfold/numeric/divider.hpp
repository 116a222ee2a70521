// SPDX-License-Identifier: MIT
// divider: division by a number that is known when a kernel is launched, as a multiplication and a shift; and the same
// for numbers of 64 bits. An integer division takes a GPU some 30 instructions that wait for each other, before the
// first load of a kernel can be issued. (Granlund and Montgomery, Division by invariant integers using multiplication,
// 1994.) Host and device.
#pragma once

#include "rowfold/config.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Divides numbers below 2^31 by `divisor`, 1 to 2^31.
//
// With l = ceil(log2(divisor)) and m = ceil(2^(31 + l) / divisor), m * divisor exceeds 2^(31 + l) by less than 2^l;
// times a number below 2^31 that stays below 2^(31 + l), so the rounded-up factor never reaches the next quotient. m <
// 2^32.
struct divider {
  unsigned divisor = 1;
  unsigned multiplier = 0x80000000u;
  unsigned shift = 31;

  constexpr divider() = default;
  explicit ROWFOLD_HOST_DEVICE constexpr divider(unsigned by) : divisor(by) {
    while ((1ull << (shift - 31)) < by) ++shift;
    multiplier = static_cast<unsigned>(((1ull << shift) + by - 1) / by);
  }

  ROWFOLD_HOST_DEVICE constexpr unsigned quotient(unsigned number) const {
    return static_cast<unsigned>(static_cast<unsigned long long>(number) * multiplier >> shift);
  }
  ROWFOLD_HOST_DEVICE constexpr unsigned remainder(unsigned number) const {
    return number - quotient(number) * divisor;
  }
};

// The same for numbers of 64 bits: number / divisor is the upper half of number * inverse, exactly, for divisors from 2
// on and numbers from 0 to below 2^64 / divisor. No branch that threads could take differently.
ROWFOLD_HOST_DEVICE constexpr unsigned long long inverse_of(long long divisor) {  // ceil(2^64 / divisor)
  return ~0ull / static_cast<unsigned long long>(divisor) + 1;
}
ROWFOLD_HOST_DEVICE constexpr long long quotient_by_inverse(long long number, unsigned long long inverse) {
  const unsigned long long n = static_cast<unsigned long long>(number);
  const unsigned long long low = (n & 0xffffffffu) * (inverse & 0xffffffffu);
  const unsigned long long cross = (n >> 32) * (inverse & 0xffffffffu) + (low >> 32);
  const unsigned long long other = (n & 0xffffffffu) * (inverse >> 32) + (cross & 0xffffffffu);
  return static_cast<long long>((n >> 32) * (inverse >> 32) + (cross >> 32) + (other >> 32));
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

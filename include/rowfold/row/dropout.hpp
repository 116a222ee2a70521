// SPDX-License-Identifier: MIT
// What ops with a dropout have in common on the host: where their random bits come from, and which probabilities they
// take.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"
#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/row/row_problem.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {

#if !defined(__CUDACC_RTC__)

// Where a call's random bits come from: a seed, and an offset that tells the calls with this seed from each other. A
// call uses one offset, whatever the size of its tensors: the next one takes offset + 1 (philox_offset_step).
//
// With device pointers the kernel reads what they point to when it runs, so that a captured graph draws new bits
// whenever they have been written anew. device_seed takes the place of seed; *device_offset is added to offset, so that
// the calls of one graph can share it and still differ in offset.
struct random_state {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
  const std::uint64_t* device_seed = nullptr;    // one value in memory of the device, or null
  const std::uint64_t* device_offset = nullptr;  // the same
};

// Whether p can be the probability of an element to be dropped: 0 and 1 can, a NaN cannot.
constexpr bool is_drop_probability(double p) { return p >= 0 && p <= 1; }

// Makes a problem with another p one that is refused.
inline void check_drop_probability(row_problem& problem, double p) {
  if (!is_drop_probability(p)) problem.blame(problem_fault::bad_option);
}

// Makes a problem one that is refused where a kernel could not load the seed or the offset.
inline void check_random_state(row_problem& problem, const random_state& random) {
  for (const std::uint64_t* value : {random.device_seed, random.device_offset}) {
    if (reinterpret_cast<std::uintptr_t>(value) % sizeof *value != 0) problem.blame(problem_fault::misaligned_random);
  }
}

#endif

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// How far off a computed mean of equal values can be: a host value that the mean's stage gets from the launcher.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// A mean of values that all equal x, computed as the sum of x / cols, is within (factor * |x| + absolute) - |x| of x.
// Of the largest numbers the mean may round to infinity: there that bound is infinite, too.
template <class Accumulate>
struct mean_tolerance {
  Accumulate factor;
  Accumulate absolute;
};

// For rows of `cols` columns that `lanes` lanes fold in granules of `granule`. Each addition on the way rounds once: by
// at most a unit roundoff of a partial sum no larger than x, or, of each column, by a number that is too small to be
// normal; flags that take such numbers for 0 lose as much.
template <class Accumulate>
ROWFOLD_HOST_DEVICE constexpr mean_tolerance<Accumulate> make_mean_tolerance(int cols, int granule, int lanes) {
  // A lane's additions, the rounding of 1 / cols, a margin for products of roundings; then the merge tree.
  int roundings = (cols / granule / lanes + 1) * granule + 2;
  for (int merged = 1; merged < lanes; merged *= 2) ++roundings;
  // 3 more for the rounding of the factor and of what it is used in. Merges of lanes are fewer than columns, hence 2.
  return {Accumulate(1) + static_cast<Accumulate>(roundings + 3) * limits<Accumulate>::unit_roundoff,
          Accumulate(2) * static_cast<Accumulate>(cols) * limits<Accumulate>::min_normal};
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

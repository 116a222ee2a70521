// SPDX-License-Identifier: MIT
// What the kinds of rows share: where a granule lies in its row, and what a kernel tells them of a row. A
// kind of row is a thread's part of one row, as stages and maps walk over it:
//   held_row.cuh    kept packed in registers; row_pair.cuh: two neighbouring rows at a time
//   staged_row.cuh  staged in shared memory
//   reread_row.cuh  read again from memory each time
//   part_row.cuh    a part of a row, of which nothing is folded
//
// All kinds have for_each(f), which calls f(values, position) for the thread's granules in increasing column, in the
// same order and with the same values; every lane of a group makes the same number of calls, also for granules past
// the end of the row, so that f may use warp operations. All have store<Hint>(row, position, granule), which stores
// what f made of a granule; all lanes of the warp call it together. (Lanes of a reread_row whose groups' rows differ in
// width do not, so there a sink must not use warp operations.)
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/memory/staging.cuh"
#include "rowfold/ptx/l2_priority.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Where a granule lies in its row. ParameterHint: how parameters are loaded there. Coherent loads stay after the
// stores of the granule before, read-only ones may all be asked for at once, which takes registers.
// The last three are members, though constants once loops are unrolled, so that functions of a position are compiled
// once and not for each granule.
template <granule_access Access, load_hint ParameterHint = load_hint::coherent>
struct granule_position {
  static constexpr granule_access access = Access;
  static constexpr load_hint parameter_hint = ParameterHint;
  long long row;
  int column;            // the first of the granule
  int cols;              // of the row; 0 if the group has no row
  lane_segment segment;  // the calling lane among those of its warp that hold the neighbouring granules
  int index = 0;         // in a held row: which of the thread's granules it is
  bool sure = false;     // every lane of a group with a row has this granule
  bool first = false;    // nothing of the row has been folded before it, as far as is known when the kernel is compiled

  // Whether the granule exists, complete and aligned. (With access `any`, whether a part of it does.)
  ROWFOLD_DEVICE bool exists() const { return Access == granule_access::full || sure || column < cols; }

  // Calls f(number) once if any of the granule's N columns exist: the first `number` of them, the constant N where the
  // granule is complete.
  template <int N, class F>
  ROWFOLD_DEVICE void if_any_column(F&& f) const {
    const int valid = cols - column;
    if (Access == granule_access::full || sure || valid >= N) {
      f(N);
    } else if (Access == granule_access::any && valid > 0) {
      f(valid);
    }
  }

  // Calls f(i) for each of the granule's N columns that exists, in order.
  template <int N, class F>
  ROWFOLD_DEVICE void for_each_column(F&& f) const {
    const int valid = cols - column;
    if (Access == granule_access::full || sure || valid >= N) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) f(i);
    } else if (Access == granule_access::any && valid > 0) {
      ROWFOLD_UNROLL
      for (int i = 0; i < N; ++i) {
        if (i < valid) f(i);
      }
    }
  }
};

// What a kernel tells a kind of row: what it has of shared memory for the row (the group's stages, and the warp's tile
// for results), which part of it the group has, and how L2 treats what is read into registers.
struct row_stage {
  unsigned char* stage;
  unsigned char* tile;
  int columns;    // that the stages hold: all of the row, or a multiple of what the group's lanes fold at a time
  int cols;       // of the row, also for a group that has none: all lanes of a warp go through the same steps
  int first = 0;  // the first column of the group's part of the row, where it has but a part (part_row)
  l2_priority priority = l2_priority::normal;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

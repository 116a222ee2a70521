// SPDX-License-Identifier: MIT
// What a kernel of the row engine is compiled for: which threads have a row together, how they hold it, and in how many
// registers. The launcher names one of these for each kernel (launch/op_kernels.cuh).
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/memory/granule.cuh"
#include "rowfold/row/held_row.cuh"
#include "rowfold/row/part_row.cuh"
#include "rowfold/row/reread_row.cuh"
#include "rowfold/row/row_group.cuh"
#include "rowfold/row/row_pair.cuh"
#include "rowfold/row/staged_row.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// What the kernel asks of a tile besides `row_data<Source>`, how a thread holds its part of a row.
template <group_kind Kind, int MaxRegisters>
struct row_tile {
  static constexpr group_kind kind = Kind;
  static constexpr int max_registers = MaxRegisters;  // of a thread: bounds how many threads a multiprocessor holds
  // A tile hides what is otherwise there.
  static constexpr int lanes = 0;          // of a group; 0: known at run time only
  static constexpr int rows = 1;           // neighbouring ones that a thread has together: 1 or 2
  static constexpr bool in_parts = false;  // a group has a part of a row, of whole granules
  static constexpr bool staged = false;    // rows come to shared memory
  static constexpr granule_access access = granule_access::whole;
};

// Rows in registers: up to Vectors granules a lane, of which the last Spare may be missing.
template <group_kind Kind, int Vectors, int MaxRegisters, int Spare = 1,
          parameter_loads Parameters = parameter_loads::in_turn>
struct held_tile : row_tile<Kind, MaxRegisters> {
  template <class Source>
  using row_data = held_row<granule_access::whole, Vectors, Source, Spare, Parameters>;
};

// The same where each of Lanes lanes has Vectors granules.
template <int Lanes, int Vectors, int MaxRegisters>
struct full_tile : row_tile<group_kind::warp, MaxRegisters> {
  static constexpr int lanes = Lanes;
  template <class Source>
  using row_data = held_row<granule_access::full, Vectors, Source, 0>;
};

// Two rows in registers, whose columns lie apart.
template <int Vectors, int MaxRegisters>
struct pair_tile : row_tile<group_kind::across_warps, MaxRegisters> {
  static constexpr int rows = 2;
  template <class Source>
  using row_data = held_row_pair<Vectors, Source>;
};

// Rows in shared memory.
template <granule_access Access, int MaxRegisters>
struct staged_tile : row_tile<group_kind::either, MaxRegisters> {
  static constexpr bool staged = true;
  static constexpr granule_access access = Access;
  template <class Source>
  using row_data = staged_row<Access, Source>;
};

// Rows that are not kept, Vectors granules a lane at a time.
template <group_kind Kind, granule_access Access, int Vectors, int MaxRegisters>
struct reread_tile : row_tile<Kind, MaxRegisters> {
  template <class Source>
  using row_data = reread_row<Access, Vectors, Source>;
};

// Parts of rows, of Vectors granules a lane.
template <int Vectors, int MaxRegisters>
struct part_tile : row_tile<group_kind::warp, MaxRegisters> {
  static constexpr bool in_parts = true;
  template <class Source>
  using row_data = part_row<Vectors, Source>;
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

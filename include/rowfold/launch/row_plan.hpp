// SPDX-License-Identifier: MIT
// What will be launched for a problem, and why: a plain value that can be printed (plan_string.hpp), compared, cached,
// overridden and tested without a GPU. make_row_plan.hpp makes one.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/plan_status.hpp"
#include "rowfold/ptx/l2_priority.hpp"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// How a row is held while it is folded.
enum class row_variant {
  held,      // read once, kept packed in registers
  streamed,  // read once and not kept: rows that are folded once and not stored, or mapped and not folded
  staged,    // read once, kept in shared memory: any address
  reread,    // brought to shared memory, or registers, part by part, again in each pass: any width
};

// How memory is reached.
enum class row_access {
  // Every granule of every tensor is complete and aligned: one vector access each. Where columns lie apart: every
  // granule is complete, and the parameters' are aligned.
  whole,
  // Any address and width: through shared memory, single elements at the edges.
  any,
};

// Why a plan is what it is. Of a pointer or stride that is not aligned, or a layout that is refused, row_plan::operand
// names the tensor.
enum class plan_reason {
  none,
  row_fits_registers,
  row_is_folded_once,
  row_is_not_folded,
  row_too_wide_for_registers,
  row_too_wide_for_shared_memory,
  row_not_aligned,
  parameter_is_null,
  double_has_one_variant,
  asked_for,
  no_kernel_for_whole_granules,
  no_rows,
  no_columns,
  refused_rows,
  refused_cols,
  refused_eps,
  refused_option,
  refused_no_columns,
  refused_null_pointer,
  refused_misaligned_random,
  refused_layout,
  refused_misaligned_element,
  refused_column_spacing,
  refused_no_inputs,
  refused_too_many_operands,
  refused_too_many_rows,
  refused_misaligned_pointer,
  refused_misaligned_stride,
  refused_partial_granule,
  refused_request,
  refused_joined_lanes,
  refused_plan_of_another_problem,
  refused_kernel_left_out,
};

// Which virtual lane folds which columns: column c belongs to lane (c / granule) % lanes; a lane folds its columns in
// increasing order; lanes merge in one fixed tree. Equal fold shapes give equal bits.
struct fold_shape {
  int granule = 0;
  int lanes = 0;

  friend constexpr bool operator==(const fold_shape& a, const fold_shape& b) {
    return a.granule == b.granule && a.lanes == b.lanes;
  }
  friend constexpr bool operator!=(const fold_shape& a, const fold_shape& b) { return !(a == b); }
};

struct row_plan {
  plan_status status = plan_status::unset;
  plan_reason reason = plan_reason::none;  // of the variant, or of a refusal
  row_variant variant = row_variant::held;
  row_access access = row_access::whole;
  plan_reason access_reason = plan_reason::none;  // why access is `any`: the first condition that failed
  const char* operand = "";                       // the tensor that access_reason or a refusal speaks of
  fold_shape shape{};
  bool shape_is_default = true;  // false: an override changed it, and with it the bits
  int vectors = 0;               // granules that a thread has in registers at a time; 0 where rows are in shared memory
  // All of a lane's parameters are asked for together: before the folds, or after them if the map cannot fetch them.
  bool early_parameters = false;
  // The L2 priority of rows that are read into registers: input_priority.hpp.
  l2_priority input_priority = l2_priority::normal;
  int parts = 1;            // of a row, each of lanes of its own: more than 1 only where nothing is folded
  int stage_columns = 0;    // of a row that are in shared memory at a time; 0 where it is in registers
  int rows_per_thread = 1;  // neighbouring ones that a thread has together, where columns lie apart
  int rows_per_block = 0;   // or parts of rows
  unsigned block_threads = 0;
  unsigned grid_blocks = 0;
  unsigned shared_bytes = 0;
  std::int64_t minimal_bytes = 0;  // each input read once, each output written once: what speed is measured by
  std::int64_t issued_bytes = 0;   // what the kernel's loads and stores add up to, caches ignored
  row_problem problem{};           // what the plan was made for
};

constexpr bool operator==(const row_plan& a, const row_plan& b) {
  return a.status == b.status && a.reason == b.reason && a.variant == b.variant && a.access == b.access &&
         a.access_reason == b.access_reason && a.shape == b.shape && a.shape_is_default == b.shape_is_default &&
         a.vectors == b.vectors && a.early_parameters == b.early_parameters && a.input_priority == b.input_priority &&
         a.parts == b.parts && a.stage_columns == b.stage_columns && a.rows_per_thread == b.rows_per_thread &&
         a.rows_per_block == b.rows_per_block && a.block_threads == b.block_threads && a.grid_blocks == b.grid_blocks &&
         a.shared_bytes == b.shared_bytes && a.minimal_bytes == b.minimal_bytes && a.issued_bytes == b.issued_bytes &&
         a.problem == b.problem;
}
constexpr bool operator!=(const row_plan& a, const row_plan& b) { return !(a == b); }

// What a caller may ask of the planner. The default asks for nothing.
struct plan_request {
  // Threads per row: a power of two, or a multiple of 32, up to 512. Fewer than the planner's own add longer sums: the
  // bounds that ops state for their errors hold for a default shape (row_plan::shape_is_default).
  int lanes = 0;
  int block_threads = 0;            // of kernels with several rows per block: a multiple of 32 up to 512
  bool staged = false;              // bring rows to shared memory, also where that is not needed
  bool reread = false;              // never keep rows: read them again in each pass
  bool any_access = false;          // take the path for any address, even where every granule is whole
  bool late_parameters = false;     // ask for parameters only as they are used, where there is such a kernel
  bool normal_priority = false;     // in L2, of what is read: also in calls larger than L2 (input_priority.hpp)
  bool require_vectorized = false;  // refuse, and say why, unless every granule is complete and aligned
  bool programmatic = false;  // programmatic dependent launch: start while the previous kernel ends (sm_90 and up)

  friend constexpr bool operator==(const plan_request& a, const plan_request& b) {
    return a.lanes == b.lanes && a.block_threads == b.block_threads && a.staged == b.staged && a.reread == b.reread &&
           a.any_access == b.any_access && a.late_parameters == b.late_parameters &&
           a.normal_priority == b.normal_priority && a.require_vectorized == b.require_vectorized &&
           a.programmatic == b.programmatic;
  }
  friend constexpr bool operator!=(const plan_request& a, const plan_request& b) { return !(a == b); }
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

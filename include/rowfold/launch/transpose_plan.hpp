// SPDX-License-Identifier: MIT
// What will be launched for a transpose, and why: plain values, and the pure function that makes the plan.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/input_priority.hpp"
#include "rowfold/launch/plan_status.hpp"
#include "rowfold/memory/transpose_tile.hpp"
#include "rowfold/ptx/l2_priority.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Why a plan is what it is.
enum class transpose_reason {
  none,
  no_matrices,
  no_rows,
  no_columns,
  misaligned_address,  // this and the three behind it: of a tensor, no multiple of 16 bytes
  misaligned_row_stride,
  misaligned_batch_stride,
  partial_vector,  // the length of a row
  refused_sizes,   // negative, or more elements than any memory holds
  refused_too_many_tiles,
  refused_null_pointer,
  refused_same_memory,
  refused_element_address,
  refused_request,
};

// What a caller may ask of the planner. The default asks for nothing.
struct transpose_request {
  int band = 0;                     // tiles of a band (transpose_tuning::band), 1 or more; 0: the planner's choice
  bool normal_priority = false;     // in L2, of what is read: also in calls larger than L2 (input_priority.hpp)
  bool require_vectorized = false;  // refuse, and say why, unless both sides move 16 bytes at a time
  bool programmatic = false;  // programmatic dependent launch: start while the previous kernel ends (sm_90 and up)
};

// A tensor of `batch` matrices as the planner sees it: everything but the pointer. Strides count elements.
struct transpose_tensor {
  unsigned misalignment = 0;  // address modulo 16
  std::int64_t row_stride = 0;
  std::int64_t batch_stride = 0;

  friend constexpr bool operator==(const transpose_tensor& a, const transpose_tensor& b) {
    return a.misalignment == b.misalignment && a.row_stride == b.row_stride && a.batch_stride == b.batch_stride;
  }
};

// What a transpose is asked to do. Two calls with equal problems get equal plans.
struct transpose_problem {
  int element_bytes = 0;
  std::int64_t batch = 0;
  std::int64_t rows = 0;  // of a matrix of x
  std::int64_t cols = 0;
  transpose_tensor x{};
  transpose_tensor y{};
  transpose_reason fault = transpose_reason::none;  // of the pointers

  friend constexpr bool operator==(const transpose_problem& a, const transpose_problem& b) {
    return a.element_bytes == b.element_bytes && a.batch == b.batch && a.rows == b.rows && a.cols == b.cols &&
           a.x == b.x && a.y == b.y && a.fault == b.fault;
  }
  friend constexpr bool operator!=(const transpose_problem& a, const transpose_problem& b) { return !(a == b); }
};

// How a transpose will be launched, and why.
struct transpose_plan {
  plan_status status = plan_status::unset;
  transpose_reason reason = transpose_reason::none;    // of a plan that is not ready
  const char* operand = "";                            // the tensor that a refusal speaks of
  int x_access = 0;                                    // bytes that one load moves
  int y_access = 0;                                    // bytes that one store moves
  transpose_reason x_reason = transpose_reason::none;  // why x_access is not 16: the first condition that failed
  transpose_reason y_reason = transpose_reason::none;
  int tile_rows = 0;  // elements of a tile
  int tile_cols = 0;
  int band = 0;  // tiles
  unsigned block_threads = 0;
  unsigned grid_blocks = 0;  // tiles of all matrices
  unsigned shared_bytes = 0;
  l2_priority input_priority = l2_priority::normal;  // of what is read 16 bytes at a time
  std::int64_t minimal_bytes = 0;  // every element read once and written once: what speed is measured by
  std::int64_t issued_bytes = 0;   // what the kernel's loads and stores add up to: the same
  transpose_problem problem{};     // what the plan was made for
};

constexpr bool operator==(const transpose_plan& a, const transpose_plan& b) {
  return a.status == b.status && a.reason == b.reason && a.x_access == b.x_access && a.y_access == b.y_access &&
         a.x_reason == b.x_reason && a.y_reason == b.y_reason && a.tile_rows == b.tile_rows &&
         a.tile_cols == b.tile_cols && a.band == b.band && a.block_threads == b.block_threads &&
         a.grid_blocks == b.grid_blocks && a.shared_bytes == b.shared_bytes && a.input_priority == b.input_priority &&
         a.minimal_bytes == b.minimal_bytes && a.issued_bytes == b.issued_bytes && a.problem == b.problem;
}
constexpr bool operator!=(const transpose_plan& a, const transpose_plan& b) { return !(a == b); }

namespace detail {

inline transpose_plan refuse(transpose_plan plan, transpose_reason reason, const char* operand = "") {
  plan.status = plan_status::refused;
  plan.reason = reason;
  plan.operand = operand;
  return plan;
}

// The widest access of which every row of the tensor is a whole number, in bytes; and why it is not 16.
struct transpose_access {
  int bytes;
  transpose_reason reason;
};
constexpr transpose_access widest_transpose_access(const transpose_tensor& tensor, std::int64_t row_length,
                                                   int element_bytes) {
  const unsigned size = static_cast<unsigned>(element_bytes);
  const unsigned address = tensor.misalignment;
  const unsigned row_stride = static_cast<unsigned>(tensor.row_stride & 15) * size & 15u;
  const unsigned batch_stride = static_cast<unsigned>(tensor.batch_stride & 15) * size & 15u;
  const unsigned length = static_cast<unsigned>(row_length & 15) * size & 15u;
  unsigned bytes = 16;
  while ((address | row_stride | batch_stride | length) % bytes != 0) bytes /= 2;
  const transpose_reason reason = address != 0        ? transpose_reason::misaligned_address
                                  : row_stride != 0   ? transpose_reason::misaligned_row_stride
                                  : batch_stride != 0 ? transpose_reason::misaligned_batch_stride
                                  : length != 0       ? transpose_reason::partial_vector
                                                      : transpose_reason::none;
  return {static_cast<int>(bytes), reason};
}

constexpr std::int64_t tiles_along(std::int64_t length, int tile) { return (length - 1) / tile + 1; }

}  // namespace detail

// The plan for a problem whose elements have Tile::element_bytes bytes: pure, so that it can be tested, printed and
// cached anywhere. `device` decides whether a call fits into L2.
template <class Tile>
transpose_plan make_transpose_plan(const transpose_problem& problem, const device_info& device,
                                   const transpose_request& request = {}) {
  transpose_plan plan;
  plan.problem = problem;
  if (problem.fault != transpose_reason::none) return detail::refuse(plan, problem.fault);
  if (problem.batch == 0 || problem.rows == 0 || problem.cols == 0) {
    plan.status = plan_status::nothing;
    plan.reason = problem.batch == 0  ? transpose_reason::no_matrices
                  : problem.rows == 0 ? transpose_reason::no_rows
                                      : transpose_reason::no_columns;
    return plan;
  }
  if (request.band < 0) return detail::refuse(plan, transpose_reason::refused_request);
  const auto x = detail::widest_transpose_access(problem.x, problem.cols, problem.element_bytes);
  const auto y = detail::widest_transpose_access(problem.y, problem.rows, problem.element_bytes);
  if (x.bytes < problem.element_bytes) return detail::refuse(plan, transpose_reason::refused_element_address, "x");
  if (y.bytes < problem.element_bytes) return detail::refuse(plan, transpose_reason::refused_element_address, "y");
  if (request.require_vectorized && x.bytes < 16) return detail::refuse(plan, x.reason, "x");
  if (request.require_vectorized && y.bytes < 16) return detail::refuse(plan, y.reason, "y");
  plan.x_access = x.bytes;
  plan.x_reason = x.reason;
  plan.y_access = y.bytes;
  plan.y_reason = y.reason;

  const std::int64_t down = detail::tiles_along(problem.rows, Tile::rows);
  const std::int64_t across = detail::tiles_along(problem.cols, Tile::cols);
  if (across > transpose_tuning::max_tiles / down || problem.batch > transpose_tuning::max_tiles / (down * across)) {
    return detail::refuse(plan, transpose_reason::refused_too_many_tiles);
  }
  const int band = request.band != 0 ? request.band : transpose_tuning::band;
  plan.tile_rows = Tile::rows;
  plan.tile_cols = Tile::cols;
  plan.band = band < down ? band : static_cast<int>(down);
  plan.block_threads = Tile::threads;
  plan.grid_blocks = static_cast<unsigned>(problem.batch * down * across);
  plan.shared_bytes = Tile::shared_vectors * 16;
  plan.minimal_bytes = 2 * problem.batch * problem.rows * problem.cols * problem.element_bytes;
  plan.issued_bytes = plan.minimal_bytes;
  if (plan.x_access == 16) {
    plan.input_priority = detail::input_priority(plan.minimal_bytes, device, request.normal_priority);
  }
  plan.status = plan_status::ready;
  return plan;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// What will be launched for a transpose, and why: plain values, and the pure function that makes the plan.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/input_priority.hpp"
#include "rowfold/launch/plan_status.hpp"
#include "rowfold/launch/skewed_bytes.hpp"
#include "rowfold/memory/transpose_tuning.hpp"
#include "rowfold/ptx/l2_priority.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Why a plan is what it is.
enum class transpose_reason {
  none,
  no_matrices,
  no_rows,
  no_columns,
  misaligned_address,  // this and the three after it: of a tensor, no multiple of 16 bytes
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

// Which kernel transposes.
enum class transpose_variant {
  none,
  aligned,       // both sides' rows are whole vectors of 16 bytes (memory/transpose_tile.hpp)
  skewed,        // any others: vectors inside the rows, elements at their ends (memory/skewed_tile.hpp)
  large_skewed,  // the same in larger tiles
};

// What a caller may ask of the planner. The default asks for nothing.
struct transpose_request {
  int band = 0;                     // tiles of a band (transpose_tuning::band), 1 or more; 0: the planner's choice
  bool normal_priority = false;     // in L2, of what is read: also in calls larger than L2 (input_priority.hpp)
  bool require_vectorized = false;  // refuse, and say why, unless the variant is `aligned`
  bool programmatic = false;  // programmatic dependent launch: start while the previous kernel ends (sm_90 and up)
};

// A tensor of `batch` matrices as the planner sees it: everything but the pointer. Strides count elements.
struct transpose_tensor {
  unsigned misalignment = 0;  // x: address modulo 16; y: modulo 32, as skewed tiles follow the sectors of y
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
  transpose_reason reason = transpose_reason::none;  // of a plan that is not ready
  const char* operand = "";                          // the tensor that a refusal speaks of
  transpose_variant variant = transpose_variant::none;
  transpose_reason x_reason = transpose_reason::none;  // why its rows are not whole vectors: what failed first
  transpose_reason y_reason = transpose_reason::none;
  int tile_rows = 0;  // elements of a tile
  int tile_cols = 0;
  int rows_above = 0;        // that a tile loads again, of the tile above it, since y's rows do not start at sectors
  bool joined_rows = false;  // rows of x lie one after the other, so that vectors may reach from one into the next
  int band = 0;              // tiles
  unsigned block_threads = 0;
  unsigned grid_blocks = 0;  // tiles of all matrices
  unsigned shared_bytes = 0;
  l2_priority input_priority = l2_priority::normal;  // of what is read
  std::int64_t minimal_bytes = 0;  // every element read once and written once: what speed is measured by
  std::int64_t issued_bytes = 0;   // what the kernel's loads and stores add up to: in skewed tiles a little more
  transpose_problem problem{};     // what the plan was made for
};

constexpr bool operator==(const transpose_plan& a, const transpose_plan& b) {
  return a.status == b.status && a.reason == b.reason && a.variant == b.variant && a.x_reason == b.x_reason &&
         a.y_reason == b.y_reason && a.tile_rows == b.tile_rows && a.tile_cols == b.tile_cols &&
         a.rows_above == b.rows_above && a.joined_rows == b.joined_rows && a.band == b.band &&
         a.block_threads == b.block_threads && a.grid_blocks == b.grid_blocks && a.shared_bytes == b.shared_bytes &&
         a.input_priority == b.input_priority && a.minimal_bytes == b.minimal_bytes &&
         a.issued_bytes == b.issued_bytes && a.problem == b.problem;
}
constexpr bool operator!=(const transpose_plan& a, const transpose_plan& b) { return !(a == b); }

namespace detail {

inline transpose_plan refuse(transpose_plan plan, transpose_reason reason, const char* operand = "") {
  plan.status = plan_status::refused;
  plan.reason = reason;
  plan.operand = operand;
  return plan;
}

// What all rows of a tensor have in common.
struct transpose_alignment {
  int bytes;                // the largest power of two, up to 32, that their addresses are multiples of
  transpose_reason reason;  // why they are not whole vectors: what failed first
};
constexpr transpose_alignment transpose_alignment_of(const transpose_tensor& tensor, std::int64_t row_length,
                                                     int element_bytes) {
  const unsigned size = static_cast<unsigned>(element_bytes);
  const unsigned address = tensor.misalignment;
  const unsigned row_stride = static_cast<unsigned>(tensor.row_stride & 31) * size;
  const unsigned batch_stride = static_cast<unsigned>(tensor.batch_stride & 31) * size;
  const unsigned length = static_cast<unsigned>(row_length & 15) * size;
  unsigned bytes = 32;
  while ((address | row_stride | batch_stride) % bytes != 0) bytes /= 2;
  const transpose_reason reason = address % 16 != 0        ? transpose_reason::misaligned_address
                                  : row_stride % 16 != 0   ? transpose_reason::misaligned_row_stride
                                  : batch_stride % 16 != 0 ? transpose_reason::misaligned_batch_stride
                                  : length % 16 != 0       ? transpose_reason::partial_vector
                                                           : transpose_reason::none;
  return {static_cast<int>(bytes), reason};
}

// Whether skewed tiles of Tile pay, and fit the device.
template <class Tile>
bool is_large_enough(const transpose_problem& problem, const device_info& device) {
  constexpr int always_there = 48 * 1024;
  const int there = device.shared_bytes_per_block != 0 ? device.shared_bytes_per_block : always_there;
  return problem.rows >= transpose_tuning::large_from * Tile::rows &&
         problem.cols >= transpose_tuning::large_from * Tile::cols && Tile::shared_bytes <= there;
}

// Writes down the tiles of `plan`, whose variant is known. False where a grid has not so many.
template <class Tile>
bool plan_tiles(transpose_plan& plan, int shared_bytes, int band) {
  const transpose_problem& problem = plan.problem;
  const std::int64_t down = tiles_along(problem.rows + plan.rows_above, Tile::rows);
  const std::int64_t across = tiles_along(problem.cols, Tile::cols);
  if (across > transpose_tuning::max_tiles / down || problem.batch > transpose_tuning::max_tiles / (down * across)) {
    return false;
  }
  plan.tile_rows = Tile::rows;
  plan.tile_cols = Tile::cols;
  plan.band = band < down ? band : static_cast<int>(down);
  plan.block_threads = Tile::threads;
  plan.grid_blocks = static_cast<unsigned>(problem.batch * down * across);
  plan.shared_bytes = static_cast<unsigned>(shared_bytes);
  return true;
}

// The same for skewed tiles, with what they load.
template <class Tile>
bool plan_skewed_tiles(transpose_plan& plan, int y_alignment, int band) {
  plan.rows_above = (Tile::sector - y_alignment) / Tile::element_bytes;
  plan.joined_rows = plan.problem.x.row_stride == plan.problem.cols;
  if (!plan_tiles<Tile>(plan, Tile::shared_bytes, band)) return false;
  plan.issued_bytes =
      plan.minimal_bytes / 2 + skewed_loaded_bytes<Tile>(plan.problem, plan.rows_above, plan.joined_rows);
  return true;
}

}  // namespace detail

// The plan for a problem, in tiles of Tiles (transpose_tiles): pure, so that it can be tested, printed and cached
// anywhere. `device` decides whether a call fits into L2, and large tiles into shared memory.
template <class Tiles>
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
  const auto x = detail::transpose_alignment_of(problem.x, problem.cols, problem.element_bytes);
  const auto y = detail::transpose_alignment_of(problem.y, problem.rows, problem.element_bytes);
  if (x.bytes < problem.element_bytes) return detail::refuse(plan, transpose_reason::refused_element_address, "x");
  if (y.bytes < problem.element_bytes) return detail::refuse(plan, transpose_reason::refused_element_address, "y");
  const bool is_aligned = x.reason == transpose_reason::none && y.reason == transpose_reason::none;
  if (request.require_vectorized && !is_aligned) {
    return x.reason != transpose_reason::none ? detail::refuse(plan, x.reason, "x")
                                              : detail::refuse(plan, y.reason, "y");
  }
  plan.x_reason = x.reason;
  plan.y_reason = y.reason;
  plan.minimal_bytes = 2 * problem.batch * problem.rows * problem.cols * problem.element_bytes;
  plan.issued_bytes = plan.minimal_bytes;
  const bool is_large = detail::is_large_enough<typename Tiles::large_skewed>(problem, device);
  plan.variant = is_aligned ? transpose_variant::aligned
                 : is_large ? transpose_variant::large_skewed
                            : transpose_variant::skewed;
  const int usual_band = !is_aligned && is_large ? transpose_tuning::large_band : transpose_tuning::band;
  const int band = request.band != 0 ? request.band : usual_band;
  const bool fits = is_aligned
                        ? detail::plan_tiles<typename Tiles::aligned>(plan, Tiles::aligned::shared_vectors * 16, band)
                    : is_large ? detail::plan_skewed_tiles<typename Tiles::large_skewed>(plan, y.bytes, band)
                               : detail::plan_skewed_tiles<typename Tiles::skewed>(plan, y.bytes, band);
  if (!fits) return detail::refuse(plan, transpose_reason::refused_too_many_tiles);
  plan.input_priority = detail::input_priority(plan.minimal_bytes, device, request.normal_priority);
  plan.status = plan_status::ready;
  return plan;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

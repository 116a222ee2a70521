// SPDX-License-Identifier: MIT
// The arguments of transpose and its plan: host values only, so that a .cpp file can make a plan that a .cu file
// launches. transpose.cuh has the op, launch/transpose_plan_string.hpp prints plans.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/device_info.hpp"
#include "rowfold/launch/transpose_plan.hpp"
#include "rowfold/memory/transpose_tuning.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Stands for the stride of a packed tensor, known when the op is called.
constexpr std::int64_t packed_stride = INT64_MIN;

// y[b][c][r] = x[b][r][c]. Pointers are to memory of the device that runs the op; x and y must not overlap. Strides
// count elements and may be negative; the elements of a row lie one after the other.
template <class T>
struct transpose_args {
  const T* x = nullptr;  // [batch, rows, cols]
  T* y = nullptr;        // [batch, cols, rows]
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t x_row_stride = packed_stride;    // packed: cols
  std::int64_t x_batch_stride = packed_stride;  // packed: rows * x_row_stride
  std::int64_t y_row_stride = packed_stride;    // packed: rows
  std::int64_t y_batch_stride = packed_stride;  // packed: cols * y_row_stride
  transpose_request request{};
  transpose_plan plan{};  // a plan made by plan_transpose for these arguments, or unset: the launcher makes one
};

namespace detail {

// Row and batch stride of `batch` matrices of `rows` rows; 0 where no second row or matrix makes use of one. Plans
// depend on the address modulo `unit`.
inline transpose_tensor strided_tensor(const void* data, unsigned unit, std::int64_t batch, std::int64_t rows,
                                       std::int64_t cols, std::int64_t row_stride, std::int64_t batch_stride) {
  transpose_tensor tensor;
  tensor.misalignment = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % unit);
  if (row_stride == packed_stride) row_stride = cols;
  tensor.row_stride = rows > 1 ? row_stride : 0;
  // Unsigned, since a stride that nothing uses may be anything.
  const auto packed = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(row_stride);
  if (batch > 1) tensor.batch_stride = batch_stride == packed_stride ? static_cast<std::int64_t>(packed) : batch_stride;
  return tensor;
}

// True where the sizes are possible: not negative, and their product no more than any memory holds.
constexpr bool are_possible_sizes(std::int64_t batch, std::int64_t rows, std::int64_t cols) {
  if (batch < 0 || rows < 0 || cols < 0) return false;
  if (batch == 0 || rows == 0 || cols == 0) return true;
  return rows <= transpose_tuning::max_elements / cols && batch <= transpose_tuning::max_elements / cols / rows;
}

}  // namespace detail

// What a transpose asks for, without its pointers.
template <class T>
transpose_problem make_transpose_problem(const transpose_args<T>& args) {
  transpose_problem problem;
  problem.element_bytes = static_cast<int>(sizeof(T));
  problem.batch = args.batch;
  problem.rows = args.rows;
  problem.cols = args.cols;
  if (!detail::are_possible_sizes(args.batch, args.rows, args.cols)) {
    problem.fault = transpose_reason::refused_sizes;
    return problem;
  }
  problem.x =
      detail::strided_tensor(args.x, 16, args.batch, args.rows, args.cols, args.x_row_stride, args.x_batch_stride);
  problem.y =
      detail::strided_tensor(args.y, 32, args.batch, args.cols, args.rows, args.y_row_stride, args.y_batch_stride);
  if (args.batch == 0 || args.rows == 0 || args.cols == 0) return problem;
  if (args.x == nullptr || args.y == nullptr) {
    problem.fault = transpose_reason::refused_null_pointer;
  } else if (static_cast<const void*>(args.x) == static_cast<const void*>(args.y)) {
    problem.fault = transpose_reason::refused_same_memory;
  }
  return problem;
}

// The plan of a transpose: pure, needs no GPU. The launcher does exactly what it says.
template <class T>
transpose_plan plan_transpose(const transpose_args<T>& args, const device_info& device) {
  using tiles = transpose_tiles<static_cast<int>(sizeof(T))>;
  return make_transpose_plan<tiles>(make_transpose_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

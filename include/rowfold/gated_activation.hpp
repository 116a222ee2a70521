// SPDX-License-Identifier: MIT
// The arguments of gated activations and their plans: host values only, so that a .cpp file can make a plan that a .cu
// file launches. gated_activation.cuh has the ops.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/gate_place.hpp"
#include "rowfold/row/granule_size.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// y = activation(gate) * value over `rows` rows of `cols` columns, with gate and value in two tensors, or in two halves
// of one (gated_halves_args). Pointers are to memory of the device that runs the op.
template <class Gate, class Value = Gate, class Y = Gate>
struct gated_args {
  const Gate* gate = nullptr;    // [rows, cols]
  const Value* value = nullptr;  // [rows, cols]
  Y* y = nullptr;                // [rows, cols]; may be gate or value itself (same address, type and layout)
  std::int64_t rows = 0;
  int cols = 0;
  row_layout gate_layout{};
  row_layout value_layout{};
  row_layout y_layout{};
  plan_request request{};
  row_plan plan{};  // a plan made by plan_gated_activation for these arguments, or unset: the launcher makes one
};

// The same with gate and value in turn in one tensor. Place: even_columns or odd_columns, where the gates are.
template <class X, class Y = X, gate_place Place = gate_place::even_columns>
struct interleaved_gated_args {
  static_assert(is_interleaved(Place), "gate and value in two halves: gated_halves_args");
  const X* x = nullptr;  // [rows, 2 * cols]
  Y* y = nullptr;        // [rows, cols]; must not overlap x
  std::int64_t rows = 0;
  int cols = 0;
  row_layout x_layout{};  // of rows of 2 * cols elements
  row_layout y_layout{};
  plan_request request{};
  row_plan plan{};
};

// The arguments for gate and value in two halves of rows of 2 * cols elements; `x_layout` is that of these rows. Place:
// first_half or second_half, where the gate is.
template <gate_place Place = gate_place::first_half, class X, class Y>
gated_args<X, X, Y> gated_halves_args(const X* x, Y* y, std::int64_t rows, int cols, const row_layout& x_layout = {}) {
  static_assert(!is_interleaved(Place), "gate and value in turn: interleaved_gated_args");
  const X* const second = x == nullptr || cols < 0 ? nullptr : x + cols;
  gated_args<X, X, Y> args;
  args.gate = Place == gate_place::first_half ? x : second;
  args.value = Place == gate_place::first_half ? second : x;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  args.gate_layout = args.value_layout = detail::resolved_for_both(x_layout, cols);
  return args;
}

// What a gated activation asks for, without its pointers.
template <class Gate, class Value, class Y>
row_problem gated_problem(const gated_args<Gate, Value, Y>& args) {
  row_problem problem;
  problem.op = "gated_activation";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<Gate, Value>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<Gate>));
  problem.fold_passes = 0;
  problem.require(args.gate);
  problem.require(args.value);
  problem.require(args.y);
  problem.add(make_operand("gate", operand_kind::input, args.gate, args.gate_layout.resolved(args.cols)));
  problem.add(make_operand("value", operand_kind::input, args.value, args.value_layout.resolved(args.cols)));
  problem.add(make_operand("y", operand_kind::output, args.y, args.y_layout.resolved(args.cols)));
  return problem;
}

template <class X, class Y, gate_place Place>
row_problem gated_problem(const interleaved_gated_args<X, Y, Place>& args) {
  row_problem problem;
  problem.op = "gated_activation";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.fold_passes = 0;
  problem.require(args.x);
  problem.require(args.y);
  operand x = make_operand("x", operand_kind::input, args.x, detail::resolved_for_both(args.x_layout, args.cols));
  x.elements_per_column = 2;
  problem.add(x);
  problem.add(make_operand("y", operand_kind::output, args.y, args.y_layout.resolved(args.cols)));
  return problem;
}

// The plan of a gated activation: pure, needs no GPU, whatever the activation. The launcher does exactly what it says.
template <class Args>
row_plan plan_gated_activation(const Args& args, const device_info& device) {
  return make_row_plan(gated_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

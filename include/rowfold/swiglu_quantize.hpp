// SPDX-License-Identifier: MIT
// The arguments of gated activations with 8-bit results and their plan: host values only, so that a .cpp file can make
// a plan that a .cu file launches. swiglu_quantize.cuh has the ops.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/gate_place.hpp"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/quantized.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// activation(gate) * value over `rows` rows of `cols` columns, quantised, with gate and value in two tensors, or in two
// halves of one (set_halves). Pointers are to memory of the device that runs the op. q, scale and what belongs to them
// are in quantized_output.
template <class Gate, class Q, quantize_scale Mode = quantize_scale::per_row, class Value = Gate, class Y = absent>
struct gated_quantize_args : quantized_output<Q, Mode> {
  const Gate* gate = nullptr;    // [rows, cols]
  const Value* value = nullptr;  // [rows, cols]
  Y* y = nullptr;                // [rows, cols] of what is quantised, or null; may be gate or value itself
  std::int64_t rows = 0;
  int cols = 0;
  row_layout gate_layout{};
  row_layout value_layout{};
  row_layout y_layout{};
  plan_request request{};
  row_plan plan{};  // a plan made by plan_gated_quantize for these arguments, or unset: the launcher makes one

  // Gate and value are halves of rows of 2 * cols elements (cols is set before); `x_layout` is that of these rows.
  template <gate_place Place = gate_place::first_half>
  void set_halves(const Gate* x, const row_layout& x_layout = {}) {
    static_assert(!is_interleaved(Place), "the gate is the first half or the second one");
    const Gate* const second = x == nullptr || cols < 0 ? nullptr : x + cols;
    gate = Place == gate_place::first_half ? x : second;
    value = Place == gate_place::first_half ? second : x;
    gate_layout = value_layout = detail::resolved_for_both(x_layout, cols);
  }
};

// What it asks for, without its pointers.
template <class Gate, class Q, quantize_scale Mode, class Value, class Y>
row_problem gated_quantize_problem(const gated_quantize_args<Gate, Q, Mode, Value, Y>& args) {
  row_problem problem;
  problem.op = "gated_quantize";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<Gate, Value>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<Gate>));
  problem.fold_passes = 0;
  add_scale_pass<Mode>(problem);
  problem.require(args.gate);
  problem.require(args.value);
  problem.add(make_operand("gate", operand_kind::input, args.gate, args.gate_layout.resolved(args.cols)));
  problem.add(make_operand("value", operand_kind::input, args.value, args.value_layout.resolved(args.cols)));
  describe_quantized<Q, Mode>(problem, args);
  if constexpr (!is_same<Y, absent>) problem.add_optional_output("y", args.y, args.y_layout.resolved(args.cols));
  return problem;
}

// The plan: pure, needs no GPU, whatever the activation. The launcher does exactly what it says.
template <class Gate, class Q, quantize_scale Mode, class Value, class Y>
row_plan plan_gated_quantize(const gated_quantize_args<Gate, Q, Mode, Value, Y>& args, const device_info& device) {
  return make_row_plan(gated_quantize_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

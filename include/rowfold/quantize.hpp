// SPDX-License-Identifier: MIT
// The arguments of quantising rows and its plan: host values only, so that a .cpp file can make a plan that a .cu file
// launches. quantize.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/quantized.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Quantising `rows` rows of `cols` columns. Pointers are to memory of the device that runs the op. q, scale and what
// belongs to them are in quantized_output.
template <class X, class Q, quantize_scale Mode = quantize_scale::per_row>
struct quantize_args : quantized_output<Q, Mode> {
  const X* x = nullptr;  // [rows, cols]
  std::int64_t rows = 0;
  int cols = 0;
  row_layout x_layout{};
  plan_request request{};
  row_plan plan{};  // a plan made by plan_quantize for these arguments, or unset: the launcher makes one
};

// What quantising asks for, without its pointers.
template <class X, class Q, quantize_scale Mode>
row_problem quantize_problem(const quantize_args<X, Q, Mode>& args) {
  row_problem problem;
  problem.op = "quantize";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.fold_passes = 0;
  add_scale_pass<Mode>(problem);
  problem.require(args.x);
  problem.add(make_operand("x", operand_kind::input, args.x, args.x_layout.resolved(args.cols)));
  describe_quantized<Q, Mode>(problem, args);
  return problem;
}

// The plan of quantising: pure, needs no GPU. The launcher does exactly what it says.
template <class X, class Q, quantize_scale Mode>
row_plan plan_quantize(const quantize_args<X, Q, Mode>& args, const device_info& device) {
  return make_row_plan(quantize_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

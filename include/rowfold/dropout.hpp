// SPDX-License-Identifier: MIT
// The arguments of dropout and its plan: host values only, so that a .cpp file can make a plan that a .cu file
// launches. dropout.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/row/dropout.hpp"
#include "rowfold/row/granule_size.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Dropout of `rows` rows of `cols` columns. Pointers are to memory of the device that runs the op.
template <class X, class Y = X>
struct dropout_args {
  const X* x = nullptr;  // [rows, cols]
  Y* y = nullptr;        // [rows, cols]; may be x itself (same type and layout)
  std::int64_t rows = 0;
  int cols = 0;
  double p = 0;  // the probability of an element to be dropped, from 0 to 1
  random_state random{};
  row_layout x_layout{};
  row_layout y_layout{};
  plan_request request{};
  row_plan plan{};  // a plan made by plan_dropout for these arguments, or unset: the launcher makes one
};

// What a dropout asks for, without its pointers.
template <class X, class Y>
row_problem dropout_problem(const dropout_args<X, Y>& args) {
  row_problem problem;
  problem.op = "dropout";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.fold_passes = 0;
  check_drop_probability(problem, args.p);
  check_random_state(problem, args.random);
  problem.require(args.x);
  problem.require(args.y);
  problem.add(make_operand("x", operand_kind::input, args.x, args.x_layout.resolved(args.cols)));
  problem.add(make_operand("y", operand_kind::output, args.y, args.y_layout.resolved(args.cols)));
  return problem;
}

// The plan of a dropout: pure, needs no GPU. The launcher does exactly what it says. Its bytes leave out the seed and
// offset that a kernel may read from device memory.
template <class X, class Y>
row_plan plan_dropout(const dropout_args<X, Y>& args, const device_info& device) {
  return make_row_plan(dropout_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

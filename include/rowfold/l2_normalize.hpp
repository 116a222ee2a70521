// SPDX-License-Identifier: MIT
// The arguments of L2 normalisation and its plan: host values only, so that a .cpp file can make a plan that a .cu file
// launches. l2_normalize.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// L2 normalisation of `rows` rows of `cols` columns. Pointers are to memory of the device that runs the op.
template <class X, class Y = X>
struct l2_normalize_args {
  const X* x = nullptr;  // [rows, cols]
  Y* y = nullptr;        // [rows, cols]; may be x itself (same type and layout)
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-12;  // finite, not negative; rounded once to float (double if X is double)
  row_layout x_layout{};
  row_layout y_layout{};
  accumulate_t<X>* norm = nullptr;  // [rows], or null: each row's Euclidean norm, also where it is below eps
  plan_request request{};
  row_plan plan{};  // a plan made by plan_l2_normalize for these arguments, or unset: the launcher makes one
};

// What an L2 normalisation asks for, without its pointers.
template <class X, class Y>
row_problem l2_normalize_problem(const l2_normalize_args<X, Y>& args) {
  row_problem problem;
  problem.op = "l2_normalize";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  problem.fold_passes = 1;
  problem.add(make_operand("x", operand_kind::input, args.x, args.x_layout.resolved(args.cols)));
  problem.add(make_operand("y", operand_kind::output, args.y, args.y_layout.resolved(args.cols)));
  if (args.norm != nullptr) problem.add(make_operand("norm", operand_kind::statistic, args.norm));
  problem.require_eps(args.eps);
  problem.require(args.x);
  problem.require(args.y);
  return problem;
}

// The plan of an L2 normalisation: pure, needs no GPU. The launcher does exactly what it says.
template <class X, class Y>
row_plan plan_l2_normalize(const l2_normalize_args<X, Y>& args, const device_info& device) {
  return make_row_plan(l2_normalize_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

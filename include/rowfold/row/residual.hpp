// SPDX-License-Identifier: MIT
// What ops with a residual have in common on the host: the rounding of their sum, and how they describe its tensors.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"
#if !defined(__CUDACC_RTC__)
#include "rowfold/row/row_problem.hpp"
#endif

namespace rowfold {
inline namespace ROWFOLD_ABI {

// What an op folds and maps after a residual addition.
enum class residual_rounding {
  stored,  // the sum as it is stored: the bits of an addition, stored, and the op after it
  full,    // the sum as it was computed, in float (double for double)
};

#if !defined(__CUDACC_RTC__)

// The type of the sum where a caller gives a pointer for it: that of the residual for a literal nullptr.
template <class Pointer, class Residual>
struct sum_pointee;
template <class T, class Residual>
struct sum_pointee<T*, Residual> {
  using type = T;
};
template <class Residual>
struct sum_pointee<decltype(nullptr), Residual> {
  using type = Residual;
};
template <class Pointer, class Residual>
using sum_type = typename sum_pointee<Pointer, Residual>::type;

// Adds x, residual and bias of an op's arguments to its problem. The sum's type decides how rows are folded.
template <class Args>
void describe_residual_inputs(row_problem& problem, const Args& args) {
  problem.granule = granule_of<typename Args::sum_type>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<typename Args::sum_type>));
  problem.require(args.x);
  problem.require(args.residual);
  problem.add(make_operand("x", operand_kind::input, args.x, args.x_layout.resolved(args.cols)));
  problem.add(make_operand("residual", operand_kind::input, args.residual, args.residual_layout.resolved(args.cols)));
  if constexpr (!is_same<typename Args::bias_type, absent>) {
    if (args.bias != nullptr) problem.add(make_source_parameter("bias", args.bias));
  }
}

// Adds y and the sum.
template <class Args>
void describe_residual_outputs(row_problem& problem, const Args& args) {
  problem.require(args.y);
  problem.add(make_operand("y", operand_kind::output, args.y, args.y_layout.resolved(args.cols)));
  problem.add_optional_output("sum", args.sum, args.sum_layout.resolved(args.cols));
}

#endif

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

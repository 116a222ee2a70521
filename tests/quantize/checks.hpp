// SPDX-License-Identifier: MIT
// What the tests of every quantising op check: compiled once, called by the tests of each op for its types.
#pragma once

#include "quantize/types.hpp"

namespace rowfold_test {
namespace quantize {

// bits.cpp
// Codes, scales, y, sum and rstd are right, and the same bits in every kernel.
void check_every_kernel(const op_list& ops);
// And wherever the tensors lie, scales included.
void check_addresses_and_strides(const op_list& ops);
// And whatever rows are beside a row, and without y or a sum, or with the sum over the residual.
void check_neighbours(const op_list& ops);
void check_other_outputs(const op_list& ops);
// The bytes that kernels move are those of the plan.
void check_bytes(const op_list& ops);

// values.cpp
// Rows of zeros, of NaN and infinities in any column, of huge, tiny and subnormal values; scales that saturate.
void check_hard_rows(const op_list& ops);
// Random rows of all kinds and widths; writes the table of the op.
void check_accuracy(const char* op, const op_list& ops);
// Values on the midpoints between codes.
void check_ties(const op_list& ops);
void check_powers_of_two(const op_list& ops);

// arguments.cpp
void check_refusals(const op_list& ops);
void check_nothing_to_do(const op_list& ops);
void check_plans(const op_list& ops);

}  // namespace quantize
}  // namespace rowfold_test

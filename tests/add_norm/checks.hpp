// SPDX-License-Identifier: MIT
// What the tests of every residual addition + norm check: compiled once, called by the tests of each op for its types.
#pragma once

#include <random>

#include "add_norm/types.hpp"
#include "support/accuracy_table.hpp"

namespace rowfold_test {
namespace add_norm {

// bits.cpp
// y, mean and rstd are those of the norm alone on the stored sums, and those are right: every kernel, with and without
// bias.
void check_norm_of_stored_sums(const op_list& ops);
// The outputs may lie over the inputs, in every variant, aligned or not.
void check_in_place(const op_list& ops);
// Bits do not depend on where the tensors lie.
void check_addresses_and_strides(const op_list& ops);
// Nor on the rows beside a row.
void check_neighbours(const op_list& ops);
// The same for sums that are normalised before they are rounded, whose bits are others.
void check_full_sums(const op_list& ops);

// accuracy.cpp
// Random rows of all kinds within the bounds of the norm, with either rounding; bytes as planned; writes the table of
// the op.
void check_accuracy(const char* op, const op_list& ops);
// The same for an op that has other kernels: its random rows, and its table, still empty.
input random_input(std::mt19937_64& engine, const op_types& types, int cols);
accuracy_table table_of(const char* op);
// Sums that are all equal, although x and residual are not.
void check_constant_sums(const op_list& ops);

// arguments.cpp
void check_special_values(const op_list& ops);
void check_null_pointers(const op_list& ops);
void check_refusals(const op_list& ops);
void check_nothing_to_do(const op_list& ops);

}  // namespace add_norm
}  // namespace rowfold_test

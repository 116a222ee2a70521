// SPDX-License-Identifier: MIT
// What every norm is checked for, in the same way: each function goes through the given sets, with Catch2's CHECK.
#pragma once

#include "norms/norm_call.hpp"

namespace rowfold_test {

// Rows of every kind, and random rows, parameters, widths and places in memory, against the reference; issued bytes are
// as planned. Writes the table of measured errors.
void check_accuracy(const char* op, const norm_sets& sets);

// Each of the library's kernels runs, and gives the bits of the others: default, staged, reread, any access, other
// blocks; and of other places in memory: misaligned, strided, nested, in place, without statistics, by the short call.
void check_same_bits(const norm_sets& sets);

// A row's bits do not depend on the rows beside it.
void check_row_independence(const norm_sets& sets);

// Odd rows behind one another, right and the same twice; each tensor at any element.
void check_memory(const norm_sets& sets);

// Bad arguments and requests are refused with their reason, nothing to do is success; in both cases nothing is written.
// A plan serves its own arguments alone.
void check_arguments(const norm_sets& sets);

}  // namespace rowfold_test

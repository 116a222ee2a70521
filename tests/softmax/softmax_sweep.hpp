// SPDX-License-Identifier: MIT
// The randomised sweep over shapes, rows, options and places in memory, and the table of the largest errors that it
// finds.
#pragma once

#include <vector>

#include "softmax/softmax_call.hpp"

namespace rowfold_test {

// Runs all sets over all kinds of rows and random shapes and places, checks every result, and writes the table of the
// op.
void sweep(const char* op, const std::vector<const softmax_set*>& sets);

}  // namespace rowfold_test

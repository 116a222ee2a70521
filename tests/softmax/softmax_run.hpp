// SPDX-License-Identifier: MIT
// Running softmax on rows of given values that lie in memory in a given way, and getting the results back as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "softmax/softmax_call.hpp"

namespace rowfold_test {

// What goes in. Values are rounded to their element types on the way; `rounded` gives them as the kernel sees them.
struct softmax_input {
  const softmax_set* set = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double scale = 1;
  std::vector<double> x;           // [rows, cols]
  std::vector<double> mask;        // [rows, cols], of sets with a mask
  std::vector<long long> lengths;  // [rows], of sets with lengths
  long long queries = 1;           // of causal sets
  long long offset = 0;
  rowfold::masked_row masked = rowfold::masked_row::nan;

  // The same, with all values rounded to their element types and the scale to the accumulate type.
  softmax_input rounded() const;
  // Rows [first, first + count) alone; of a causal set, first is a multiple of queries.
  softmax_input only(std::int64_t first, std::int64_t count) const;
  // How many columns a row sees, by definition.
  int visible(std::int64_t row) const;
};

// Where it lies. Offsets: elements from a 256-byte boundary to the first element of row 0 (or of the vector).
struct softmax_placement {
  const char* name = "packed, aligned";
  std::size_t x_offset = 0, y_offset = 0, mask_offset = 0, log_sum_exp_offset = 0, lengths_offset = 0;
  rowfold::row_layout x_layout{};
  rowfold::row_layout y_layout{};
  rowfold::row_layout mask_layout{};  // rows that it repeats must have equal values
  bool in_place = false;              // y is x: same address and layout; x and y must have one type
  bool log_sum_exp = true;
  bool short_call = false;   // without softmax_args: packed rows, no options
  bool count_bytes = false;  // CPU: fill softmax_output::issued_bytes; rows must not overlap
  rowfold::plan_request request{};
};

// What comes out.
struct softmax_output {
  std::vector<double> y;            // [rows, cols]
  std::vector<double> log_sum_exp;  // [rows], or empty
  rowfold::row_plan plan;           // made for these very arguments
  std::int64_t issued_bytes = 0;    // counted by the CPU executor
};

// Runs it, and requires that the launch succeeds, that no byte but the rows of y (and log_sum_exp) has changed, and, on
// the CPU with count_bytes, that no byte outside the rows was read either.
softmax_output run(const softmax_input& input, const softmax_placement& where = {});

}  // namespace rowfold_test

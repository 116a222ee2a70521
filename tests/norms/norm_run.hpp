// SPDX-License-Identifier: MIT
// Running one of the norms on rows of given values that lie in memory in a given way, and getting the results back as
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "norms/norm_call.hpp"

namespace rowfold_test {

// What goes in. Values are rounded to their element types on the way; `rounded` gives them as the kernel sees them.
struct norm_input {
  const norm_set* set = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-6;
  double weight_offset = 0;
  std::int64_t rows_per_group = 1;  // of ops with a modulation
  std::vector<double> x;            // [rows, cols]
  std::vector<double> first;        // gamma [cols] or scale [groups, cols], or empty: null
  std::vector<double> second;       // beta [cols] or shift [groups, cols], or empty: null

  std::int64_t group_of(std::int64_t row) const { return set->modulates() ? row / rows_per_group : 0; }
  std::int64_t groups() const { return rows > 0 ? group_of(rows - 1) + 1 : 1; }

  // The same, with all values rounded to their element types and eps to the accumulate type.
  norm_input rounded() const;
};

// Where it lies. Offsets: elements from a 256-byte boundary to the first element of row 0 (or of the vector).
struct norm_placement {
  const char* name = "packed, aligned";
  std::size_t x_offset = 0, y_offset = 0, first_offset = 0, second_offset = 0, statistic_offset = 0;
  rowfold::row_layout x_layout{};
  rowfold::row_layout y_layout{};
  long long first_gap = 0, second_gap = 0;  // elements between the groups' vectors
  bool in_place = false;                    // y is x: same address and layout; x and y must have one type
  bool statistics = true;
  bool short_call = false;   // the call for packed rows: no strides, no statistics
  bool count_bytes = false;  // CPU: fill norm_output::issued_bytes; few rows that do not overlap
  rowfold::plan_request request{};
};

struct norm_output {
  std::vector<double> y;                // [rows, cols]
  std::vector<double> mean, statistic;  // [rows], or empty
  rowfold::row_plan plan;               // made for these very arguments
  std::int64_t issued_bytes = 0;        // counted by the CPU executor
};

// Runs it, and requires that the launch succeeds, that no byte but the rows of y (and the statistics) has changed, and,
// on the CPU with count_bytes, that no byte outside the rows was read either.
norm_output run(const norm_input& input, const norm_placement& where = {});

}  // namespace rowfold_test

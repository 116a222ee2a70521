// SPDX-License-Identifier: MIT
// Running LayerNorm on rows of given values that lie in memory in a given way, and getting the results back as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layer_norm/layer_norm_call.hpp"

namespace rowfold_test {

// What goes in. Values are rounded to their element types on the way; `rounded` gives them as the kernel sees them.
struct layer_norm_input {
  const type_set* types = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-5;
  std::vector<double> x;      // [rows, cols]
  std::vector<double> gamma;  // [cols], or empty: null
  std::vector<double> beta;   // [cols], or empty: null

  // The same, with all values rounded to their element types and eps to the accumulate type.
  layer_norm_input rounded() const;
  // Rows [first, first + count) alone.
  layer_norm_input only(std::int64_t first, std::int64_t count) const;
};

// Where it lies. Offsets: elements from a 256-byte boundary to the first element of row 0 (or of the vector).
struct placement {
  const char* name = "packed, aligned";
  std::size_t x_offset = 0, y_offset = 0, gamma_offset = 0, beta_offset = 0, mean_offset = 0, rstd_offset = 0;
  rowfold::row_layout x_layout{};
  rowfold::row_layout y_layout{};
  bool in_place = false;  // y is x: same address and layout; x and y must have one type
  bool statistics = true;
  bool fast = false;         // fast_math
  bool short_call = false;   // without layer_norm_args: packed rows, no statistics
  bool count_bytes = false;  // CPU: fill layer_norm_output::issued_bytes; few rows that do not overlap
  rowfold::plan_request request{};
};

// What comes out.
struct layer_norm_output {
  std::vector<double> y;           // [rows, cols]
  std::vector<double> mean, rstd;  // [rows], or empty
  rowfold::row_plan plan;          // made for these very arguments
  std::int64_t issued_bytes = 0;   // counted by the CPU executor
};

// Runs it, and requires that the launch succeeds, that no byte but the rows of y (and mean and rstd) has changed, and,
// on the CPU with count_bytes, that no byte outside the rows was read either.
layer_norm_output run(const layer_norm_input& input, const placement& where = {});

}  // namespace rowfold_test

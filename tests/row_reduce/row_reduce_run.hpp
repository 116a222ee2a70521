// SPDX-License-Identifier: MIT
// Reducing rows of given values that lie in memory in a given way, and rows that are hard for a careless reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "row_reduce/row_reduce_call.hpp"

namespace rowfold_test {

// What goes in. Values are rounded to x's type on the way.
struct rows_input {
  const reduce_types* types = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  std::vector<double> x;  // [rows, cols]
  int correction = 1;

  rows_input only(std::int64_t first, std::int64_t count) const;
};

// Where it lies, and by which kernel it is reduced.
struct rows_placement {
  const char* name = "packed, aligned";
  std::size_t x_offset = 0, out_offset = 0;
  rowfold::row_layout x_layout{};
  bool count_bytes = false;  // CPU: check what is moved; few rows that do not overlap
  rowfold::plan_request request{};
};

// Runs one of a type set's functions, and requires that it succeeds, that no byte but those of the results has changed,
// and, on the CPU with count_bytes, that exactly the planned bytes were moved and none outside the rows was read.
row_reduce_result reduce_by(row_reduce_result (*function)(const row_reduce_call&), const rows_input& input,
                            const rows_placement& where = {});
row_reduce_result reduce_all(const rows_input& input, const rows_placement& where = {});
row_reduce_result reduce_once(const rows_input& input, const rows_placement& where = {});

// All results the same bits, also of NaN, as far as both have them.
bool same_results(const row_reduce_result& a, const row_reduce_result& b);

enum class hard_row {
  normal,
  large_mean,  // 1e4 standard deviations
  tiny,        // squares far below the smallest number
  huge,        // sums beyond the largest
  mixed_size,  // from the one to the other
  subnormal,
  cancelling,  // every value and its negative
  integers,    // few different values: ties
  constant,
  outlier,  // one of 1e3 deviations
  all_minus_infinity,
  some_minus_infinity,
  plus_infinity,  // one
  not_a_number,   // two
  count,
};

std::vector<double> make_hard_row(const reduce_types& types, hard_row kind, int cols, std::uint64_t stream);

// Rows of every kind, one after the other.
rows_input all_hard_rows(const reduce_types& types, int cols, std::uint64_t stream = 0);
rows_input normal_rows(const reduce_types& types, std::int64_t rows, int cols, std::uint64_t stream = 0);

}  // namespace rowfold_test

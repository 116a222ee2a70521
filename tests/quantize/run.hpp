// SPDX-License-Identifier: MIT
// Running a quantising op on rows of given values that lie in memory in a given way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quantize/types.hpp"

namespace rowfold_test {
namespace quantize {

// What goes in. Values are rounded to their element types on the way.
struct input {
  const op_types* types = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-6;
  double given = 0.015625;  // the scale, where the mode has one
  bool power_of_two = false;
  std::vector<double> x, residual;  // [rows, cols]
  std::vector<double> gamma;        // [cols], or empty: null

  // Rows [first, first + count) alone.
  input only(std::int64_t first, std::int64_t count) const;
};

// Where all of it lies. Offsets: elements from a 256-byte boundary to the first element of row 0 (or of the vector).
struct placement {
  const char* name = "packed, aligned";
  std::size_t x_offset = 0, residual_offset = 0, gamma_offset = 0, q_offset = 0, scale_offset = 0, y_offset = 0,
              sum_offset = 0;
  rowfold::row_layout x_layout{}, residual_layout{}, q_layout{}, y_layout{}, sum_layout{};
  bool scales_by_group = false;  // [groups, rows + 1] in memory
  bool sum_over_residual = false;
  bool y = true;
  bool sum = true;
  bool short_call = false;   // without arguments in a struct: packed rows, no y and rstd
  bool count_bytes = false;  // CPU: fill output::issued_bytes; few rows that do not overlap
  rowfold::plan_request request{};
};

// What comes out. y and sum: [rows, cols] or empty; rstd: [rows] or empty.
struct output {
  std::vector<double> q, scale, y, sum, rstd;
  rowfold::row_plan plan;         // made for these very arguments
  std::int64_t issued_bytes = 0;  // counted by the CPU executor
};

// Runs it, and requires that the launch succeeds, that no byte but the rows of the outputs has changed, and, on the CPU
// with count_bytes, that no byte outside the rows was read either.
output run(const input& in, const placement& where = {});

// `rows` rows of normal values with random gamma, where the op has one; `stream` tells them apart.
input normal_rows(const op_types& types, std::int64_t rows, int cols, std::uint64_t stream = 0);

// The values that the norm sees, as stored: x, or the sum rounded to its type.
std::vector<double> norm_input(const input& in);

// What is wrong with the results, empty if nothing is: codes and scales are exactly those of the values that the op
// quantised (x itself, or y), the sum is exact, and y and rstd are within the bounds of RMSNorm.
std::string fault(const input& in, const output& found);

// The same, with the largest errors: of y in ulp of float at max(|y|, |gamma|) (SwiGLU: at max(|y|, |gate * factor|
// 2^-10)), of rstd in ulp.
struct judgement {
  double worst_y = 0, worst_rstd = 0;
  std::string fault;
};
judgement judge(const input& in, const output& found);

}  // namespace quantize
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Running residual addition + a norm on rows of given values that lie in memory in a given way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "add_norm/types.hpp"

namespace rowfold_test {
namespace add_norm {

// Where an output lies.
enum class place { apart, over_x, over_residual, nowhere };

// Where all of it lies. Offsets: elements from a 256-byte boundary to the first element of row 0 (or of the vector). An
// output over an input has the input's offset and layout.
struct placement {
  const char* name = "packed, aligned";
  std::size_t x_offset = 0, residual_offset = 0, y_offset = 0, sum_offset = 0;
  std::size_t bias_offset = 0, gamma_offset = 0, beta_offset = 0, rstd_offset = 0;
  rowfold::row_layout x_layout{}, residual_layout{}, y_layout{}, sum_layout{};
  place y = place::apart;
  place sum = place::apart;
  bool statistics = true;
  bool full = false;         // residual_rounding::full
  bool short_call = false;   // without arguments in a struct: packed rows, no bias, no statistics
  bool count_bytes = false;  // CPU: fill output::issued_bytes; few rows that do not overlap
  rowfold::plan_request request{};
};

// Whether y and sum of these types may lie so.
bool may_lie(const op_types& types, const placement& where);

// Runs it, and requires that the launch succeeds, that no byte but the rows of the outputs has changed, and, on the CPU
// with count_bytes, that no byte outside the rows was read either.
output run(const input& in, const placement& where = {});

// `rows` rows of normal values, with random bias (if asked for) and parameters; `stream` tells them apart.
input normal_rows(const op_types& types, std::int64_t rows, int cols, bool with_bias, std::uint64_t stream = 0);

}  // namespace add_norm
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Running cross-entropy on rows of given values that lie in memory in a given way, and getting the results back as
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cross_entropy/cross_entropy_call.hpp"

namespace cross_entropy_test {

// What goes in. Logits are rounded to their type on the way.
struct cross_entropy_input {
  const logit_type* type = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  std::vector<double> x;             // [rows, cols]
  std::vector<std::int64_t> labels;  // [rows]
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;
  double z_loss = 0;
  double soft_cap = 0;

  // Rows [first, first + count) alone.
  cross_entropy_input only(std::int64_t first, std::int64_t count) const;
};

// Where it lies. Offsets: elements from a 256-byte boundary to the first element of row 0 (or of the vector).
struct placement {
  const char* name = "packed, aligned";
  std::size_t x_offset = 0, label_offset = 0, loss_offset = 0, lse_offset = 0;
  rowfold::row_layout layout{};
  bool wide_labels = true;
  bool lse = true;
  bool short_call = false;   // without cross_entropy_args: packed rows, no options
  bool count_bytes = false;  // CPU: fill cross_entropy_output::issued_bytes; few rows that do not overlap
  rowfold::plan_request request{};
};

// What comes out.
struct cross_entropy_output {
  std::vector<double> loss;
  std::vector<double> lse;        // or empty
  rowfold::row_plan plan;         // made for these very arguments
  std::int64_t issued_bytes = 0;  // counted by the CPU executor
};

// Runs it, and requires that the launch succeeds, that no byte but loss and lse has changed, and, on the CPU with
// count_bytes, that no byte outside the rows and the labels was read either.
cross_entropy_output run(const cross_entropy_input& input, const placement& where = {});

// Rows of normal logits with random labels. The same arguments give the same rows.
cross_entropy_input normal_logits(const logit_type& type, std::int64_t rows, int cols, std::uint64_t stream = 0,
                                  double deviation = 2);

// A row of each kind that is hard for a careless algorithm, and the names of the kinds.
cross_entropy_input hard_logits(const logit_type& type, int cols);
const std::vector<const char*>& hard_logit_names();

}  // namespace cross_entropy_test

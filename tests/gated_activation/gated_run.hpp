// SPDX-License-Identifier: MIT
// Running gated activations on rows of given values that lie in memory in a given way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gated_activation/gated_op.hpp"

namespace rowfold_test {

// true under a sanitizer, which looks at memory and order, not at numbers: fewer wide rows then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool few_gated_widths = true;
#else
inline constexpr bool few_gated_widths = false;
#endif

// Where the rows of a tensor lie.
enum class gated_layout { packed, padded, padded_to_16_bytes, upwards, groups };
inline constexpr gated_layout gated_layouts[] = {gated_layout::packed, gated_layout::padded,
                                                 gated_layout::padded_to_16_bytes, gated_layout::upwards,
                                                 gated_layout::groups};

// Where y lies.
enum class gated_target { apart, over_gate, over_value };

struct gated_placement {
  std::size_t gate_offset = 0, value_offset = 0, y_offset = 0;  // elements from a 256-byte boundary to the first row
  gated_layout gate = gated_layout::packed, value = gated_layout::packed, y = gated_layout::packed;
  gated_target target = gated_target::apart;
  bool short_call = false;
  rowfold::plan_request request{};

  std::string text() const;
};

// Whether y may lie so: over a tensor of its own type, and not over interleaved rows.
bool may_lie(const gated_op& op, gated_target target);

struct gated_input {
  std::int64_t rows = 0;
  int cols = 0;
  std::vector<double> gate, value;  // [rows, cols]; rounded to their types on the way
};

struct gated_output {
  std::vector<double> y;  // [rows, cols]
  rowfold::row_plan plan;
};

// Runs it, and requires that the launch succeeds, that nothing but the rows of y has changed, and on the CPU that
// exactly the bytes that the plan speaks of are moved, none outside the rows.
gated_output run(const gated_op& op, const gated_input& in, const gated_placement& where = {});

// `rows` rows of gates and values around 0: deviations of 3 and 1.
gated_input normal_gates(std::int64_t rows, int cols, std::uint64_t stream = 0);

// The largest error of y, as the bound measures it: what is beyond the rounding of y, half a unit in its last place, in
// units in the last place of max(|activation(gate)|, |gate| 2^-10) times |value|; or for 16-bit types steps from the
// correctly rounded value. `fault` names the first element out of bounds.
struct gated_judgement {
  double worst = 0;
  std::string fault;
};
gated_judgement judge(const gated_op& op, const gated_input& in, const std::vector<double>& y);

}  // namespace rowfold_test

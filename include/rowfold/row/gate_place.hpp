// SPDX-License-Identifier: MIT
// Where gated activations find their two arguments in rows that hold both.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/row_layout.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// y = activation(gate) * value, `cols` of each in a row of 2 * cols elements. What lies where:
enum class gate_place {
  first_half,    // gate, then value: the fused gate and up projections of most language models
  second_half,   // value, then gate: torch.nn.functional.glu, and GeGLU as in most diffusion models
  even_columns,  // gate, value, gate, value, ...
  odd_columns,   // value, gate, value, gate, ...
};

ROWFOLD_HOST_DEVICE constexpr bool is_interleaved(gate_place place) {
  return place == gate_place::even_columns || place == gate_place::odd_columns;
}

namespace detail {

// The layout of rows that hold both, with the stride of packed rows written out.
ROWFOLD_HOST_DEVICE constexpr row_layout resolved_for_both(const row_layout& layout, int cols) {
  row_layout rows = layout;
  if (rows.inner_stride == row_layout::packed) rows.inner_stride = 2ll * cols;
  return rows.resolved(cols);
}

}  // namespace detail

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

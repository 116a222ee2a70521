// SPDX-License-Identifier: MIT
// What ops with 8-bit results have in common on the host: where the codes and their scales lie, and how a problem has
// them. row/quantize_sink.cuh makes them.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Where the scales of quantised values come from. A value is scale * code, as far as rounding goes.
enum class quantize_scale {
  given,      // one scale for all rows, read from memory
  per_row,    // made of the largest absolute value of each row
  per_group,  // made of the largest absolute value of each 128 columns of a row
};

// Columns of a group. The last group of a row may have fewer.
inline constexpr int quantize_group = 128;

ROWFOLD_HOST_DEVICE constexpr int quantize_groups(int cols) {
  return cols / quantize_group + (cols % quantize_group != 0 ? 1 : 0);
}

namespace detail {
template <quantize_scale Mode>
struct scale_element {
  using type = float;
};
template <>
struct scale_element<quantize_scale::given> {
  using type = const float;
};
}  // namespace detail

template <quantize_scale Mode>
using scale_pointer = typename detail::scale_element<Mode>::type*;

// The results of a quantising op: part of its arguments. Q: __nv_fp8_e4m3, __nv_fp8_e5m2 or signed char.
template <class Q, quantize_scale Mode>
struct quantized_output {
  static constexpr long long packed_scales = row_layout::packed;

  Q* q = nullptr;  // [rows, cols]
  scale_pointer<Mode> scale =
      nullptr;  // given: one finite number, read; per_row: [rows]; per_group: [rows, cols / 128, rounded up]
  row_layout q_layout{};
  // Where scales that are made lie: elements from one row's to the next row's, and from one group's to the next
  // group's.
  long long scale_row_stride = packed_scales;  // per_row: 1; per_group: as many as there are groups
  long long scale_group_stride = 1;
  bool power_of_two = false;  // scales that are made are rounded up to a power of two

  // The same with all strides written out.
  ROWFOLD_HOST_DEVICE constexpr quantized_output resolved(int cols) const {
    quantized_output result = *this;
    result.q_layout = q_layout.resolved(cols);
    if (scale_row_stride == packed_scales) {
      result.scale_row_stride = Mode == quantize_scale::per_group ? quantize_groups(cols) : 1;
    }
    return result;
  }
};

#if !defined(__CUDACC_RTC__)

// Adds the codes and their scales to a problem whose granule is known.
template <class Q, quantize_scale Mode>
void describe_quantized(row_problem& problem, const quantized_output<Q, Mode>& out) {
  static_assert(sizeof(Q) == 1, "__nv_fp8_e4m3, __nv_fp8_e5m2 or signed char");
  problem.require(out.q);
  problem.require(out.scale);
  problem.add(make_operand("q", operand_kind::output, out.q, out.q_layout.resolved(problem.cols)));
  if constexpr (Mode == quantize_scale::given) {
    problem.add(make_operand("scale", operand_kind::lane_value, out.scale, row_layout::strided(0)));
  } else {
    operand scale = make_operand("scale", operand_kind::statistic, out.scale);
    if constexpr (Mode == quantize_scale::per_group) {
      scale.elements_per_column = quantize_groups(problem.cols);
      problem.joined_granules = quantize_group / problem.granule;
    }
    problem.add(scale);
  }
}

// Adds the fold over mapped values that scales of whole rows need.
template <quantize_scale Mode>
void add_scale_pass(row_problem& problem) {
  if constexpr (Mode == quantize_scale::per_row) {
    ++problem.fold_passes;
    problem.maps_in_fold = true;
  }
}

#endif

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

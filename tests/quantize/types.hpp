// SPDX-License-Identifier: MIT
// Quantising ops behind plain functions, one op and set of element types at a time, so that the kernels of a set are
// compiled once for all tests. Elements and pointers have no type here: an op_types says what they are.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "rowfold/launch/row_plan.hpp"
#include "rowfold/row/quantized.hpp"
#include "support/element.hpp"

namespace rowfold_test {
namespace quantize {

using rowfold::quantize_scale;

// true under a sanitizer, which looks at memory and order, not at numbers: fewer types and narrower rows then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// What the codes are.
enum class code { e4m3, e5m2, int8 };

// What is done before values are quantised.
enum class before { nothing, rms_norm, add_rms_norm, swiglu };

// The arguments of any of the ops, untyped. scale, y and rstd are of float; the residual of swiglu is what the gate, x,
// is multiplied with.
struct call {
  const void* x = nullptr;
  const void* residual = nullptr;
  const void* gamma = nullptr;
  void* q = nullptr;
  void* scale = nullptr;
  void* y = nullptr;
  void* sum = nullptr;
  void* rstd = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-6;
  bool power_of_two = false;
  rowfold::row_layout x_layout{};
  rowfold::row_layout residual_layout{};
  rowfold::row_layout q_layout{};
  rowfold::row_layout y_layout{};
  rowfold::row_layout sum_layout{};
  long long scale_row_stride = rowfold::row_layout::packed;
  long long scale_group_stride = 1;
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
  cudaStream_t stream = nullptr;
};

struct op_types {
  const char* name;
  before norm;
  quantize_scale mode;
  code to;
  element x, residual, gamma, sum;         // as far as the op has them
  cudaError_t (*run)(const call&);         // does not wait for the device
  cudaError_t (*run_short)(const call&);   // the call without arguments in a struct
  rowfold::row_plan (*plan)(const call&);  // for the current device
  cudaError_t (*run_plan)(const call&, const rowfold::row_plan&);

  bool has_norm() const { return norm == before::rms_norm || norm == before::add_rms_norm; }
  bool has_second() const { return norm == before::add_rms_norm || norm == before::swiglu; }
  // Whether a row has to be folded before it can be stored.
  bool folds() const { return has_norm() || mode == quantize_scale::per_row; }
  // Columns that a lane has at a time.
  int granule() const { return 16 / static_cast<int>(bytes_of(norm == before::add_rms_norm ? sum : x)); }
  // Scales of one row in memory.
  int scales(int cols) const { return mode == quantize_scale::per_group ? (cols + 127) / 128 : 1; }
};

using op_list = std::vector<const op_types*>;

// The sets that this build holds: all of them, or under a sanitizer some.
const op_list& quantize_ops();
const op_list& rms_norm_quantize_ops();
const op_list& add_rms_norm_quantize_ops();
const op_list& swiglu_quantize_ops();

}  // namespace quantize
}  // namespace rowfold_test

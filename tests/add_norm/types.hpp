// SPDX-License-Identifier: MIT
// Residual addition + a norm behind plain functions, one op and set of element types at a time, so that the kernels of
// a set are compiled once for all tests. Elements and pointers have no type here: an op_types says what they are.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/launch/row_plan.hpp"
#include "support/element.hpp"

namespace rowfold_test {
namespace add_norm {

// true under a sanitizer, which looks at memory and order, not at numbers: fewer types and narrower rows then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// The arguments of the op, untyped. mean (where the norm has one) and rstd have the accumulate type of the sum.
struct call {
  const void* x = nullptr;
  const void* residual = nullptr;
  const void* bias = nullptr;
  const void* gamma = nullptr;
  const void* beta = nullptr;
  void* y = nullptr;
  void* sum = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-5;
  double weight_offset = 0;
  rowfold::row_layout x_layout{};
  rowfold::row_layout residual_layout{};
  rowfold::row_layout y_layout{};
  rowfold::row_layout sum_layout{};
  void* mean = nullptr;
  void* rstd = nullptr;
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
  cudaStream_t stream = nullptr;
};

struct input;
struct output;
struct judgement;

struct op_types {
  const char* name;
  element x, residual, bias, parameter, y, sum;
  bool has_mean;
  bool has_weight_offset;
  cudaError_t (*run)(const call&);         // the op; does not wait for the device
  cudaError_t (*run_full)(const call&);    // the same with residual_rounding::full; null where it is not compiled
  cudaError_t (*run_short)(const call&);   // the call without arguments in a struct, literal nullptr for null
  rowfold::row_plan (*plan)(const call&);  // for the current device
  cudaError_t (*run_plan)(const call&, const rowfold::row_plan&);
  // The library's norm alone, of rows that are the given sums.
  output (*norm)(const input&, const std::vector<double>& sums);
  // The results against the norm's reference and bounds, for rows that are the given sums, exact in `folded`.
  judgement (*judge)(const input&, const std::vector<double>& sums, element folded, const output&);

  element statistic() const { return sum == element::float64 ? element::float64 : element::float32; }
  int granule() const { return 16 / static_cast<int>(bytes_of(sum)); }
};

using op_list = std::vector<const op_types*>;

// What goes in. Values are rounded to their element types on the way.
struct input {
  const op_types* types = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  double eps = 1e-5;
  double weight_offset = 0;               // of norms that have one
  std::vector<double> x, residual;        // [rows, cols]
  std::vector<double> bias, gamma, beta;  // [cols], or empty: null

  // Rows [first, first + count) alone.
  input only(std::int64_t first, std::int64_t count) const;
};

// What comes out.
struct output {
  std::vector<double> y, sum;      // [rows, cols]; sum: empty if there is none
  std::vector<double> mean, rstd;  // [rows], or empty
  rowfold::row_plan plan;          // made for these very arguments
  std::int64_t issued_bytes = 0;   // counted by the CPU executor
};

// What a comparison with the reference found.
struct judgement {
  double worst_y = 0;  // in units in the last place, as the norm's own tests measure it
  std::string fault;   // the first value out of bounds; empty if there is none
};

// (x + bias) + residual as the op is to compute it: each addition rounded to float (double for double), then, where it
// is the stored sum, to the sum's type.
std::vector<double> sums_of(const input& in, bool stored);

}  // namespace add_norm
}  // namespace rowfold_test

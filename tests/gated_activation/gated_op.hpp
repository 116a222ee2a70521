// SPDX-License-Identifier: MIT
// Gated activations behind plain functions, one activation, set of element types and form of its arguments at a time,
// so that the kernels are compiled once for all tests. Elements and pointers have no type here: a gated_op says what
// they are.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "rowfold/launch/row_plan.hpp"
#include "rowfold/row/gate_place.hpp"
#include "support/element.hpp"

namespace rowfold_test {

// The arguments of a call, untyped. Gate and value in one tensor: `gate` is that tensor, and `value` nothing.
struct gated_call {
  const void* gate = nullptr;
  const void* value = nullptr;
  void* y = nullptr;
  std::int64_t rows = 0;
  int cols = 0;
  rowfold::row_layout gate_layout{};
  rowfold::row_layout value_layout{};
  rowfold::row_layout y_layout{};
  rowfold::plan_request request{};
  rowfold::row_plan plan{};
  cudaStream_t stream = nullptr;
};

struct gated_op {
  const char* name;
  element gate, value, y;
  bool one_tensor;            // gate and value lie in rows of 2 * cols elements, as `place` says
  rowfold::gate_place place;  // where the gate is in them
  long double (*activation)(long double);
  cudaError_t (*run)(const gated_call&);        // the op; does not wait for the device
  cudaError_t (*run_short)(const gated_call&);  // the call for packed rows: swiglu(...) and its like
  rowfold::row_plan (*plan)(const gated_call&);
  cudaError_t (*run_plan)(const gated_call&, const rowfold::row_plan&);

  bool halves() const { return one_tensor && !rowfold::is_interleaved(place); }
  bool interleaved() const { return one_tensor && rowfold::is_interleaved(place); }
  bool checking() const { return y == element::float64; }
  // Columns that a thread loads at a time.
  int granule() const {
    const std::size_t narrowest = bytes_of(gate) < bytes_of(value) ? bytes_of(gate) : bytes_of(value);
    return 16 / static_cast<int>(narrowest);
  }
  // Column c of the gates, and of the values, in a row of 2 * cols elements.
  int gate_column(int c, int cols) const { return column_of(c, cols, place_of_gate()); }
  int value_column(int c, int cols) const { return column_of(c, cols, 1 - place_of_gate()); }

 private:
  int place_of_gate() const {
    return place == rowfold::gate_place::second_half || place == rowfold::gate_place::odd_columns ? 1 : 0;
  }
  int column_of(int c, int cols, int second) const {
    return rowfold::is_interleaved(place) ? 2 * c + second : c + second * cols;
  }
};

using gated_list = std::vector<gated_op>;

gated_list gated_float_ops();     // SiLU in every form
gated_list gated_bfloat16_ops();  // SiLU and GELU by tanh
gated_list gated_more_ops();      // GELU of float, ReLU of half, sigmoid of mixed types, SiLU of double

// Those that this build holds: all, or under a sanitizer those of the first two.
const gated_list& gated_ops();

// The activations' definitions, once more.
long double exact_silu(long double x);
long double exact_gelu(long double x);
long double exact_gelu_tanh(long double x);
long double exact_relu(long double x);
long double exact_sigmoid(long double x);

}  // namespace rowfold_test

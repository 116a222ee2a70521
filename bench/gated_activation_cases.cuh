// SPDX-License-Identifier: MIT
//
// Gated activations as ops of support/row_cases.cuh: x holds gate and value, in halves of its rows or interleaved, all
// of one type. Columns are those of y; x has twice as many. Host functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rowfold/gated_activation.cuh"
#include "support/plan_label.cuh"
#include "support/row_cases.cuh"

namespace rowfold_bench {

// An activation of the library, and its definition.
struct silu_gate {
  using function = rowfold::silu;
  static double exact(double x) { return x / (1.0 + std::exp(-x)); }
};
struct gelu_gate {
  using function = rowfold::gelu;
  static double exact(double x) { return x / 2.0 * std::erfc(-x / std::sqrt(2.0)); }
};
struct gelu_tanh_gate {
  using function = rowfold::gelu_tanh;
  static double exact(double x) {
    return x / (1.0 + std::exp(-std::sqrt(8.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
  }
};
struct relu_gate {
  using function = rowfold::relu;
  static double exact(double x) { return std::max(x, 0.0); }
};

template <class T, class Gate, rowfold::gate_place Place = rowfold::gate_place::first_half>
class gated_op {
 public:
  gated_op(row_tensors& tensors, const row_call& call)
      : call_(call), x_(tensors.input<T>(0, 2) + call.offset), y_(tensors.output<T>(0) + call.offset) {}

  void enqueue(std::int64_t first_row, cudaStream_t stream) const {
    require(rowfold::gated_activation(typename Gate::function{}, args(first_row), stream), "gated_activation");
  }

  std::string plan() const { return plan_label(rowfold::plan_gated_activation(args(0), this_device())); }

  double row_bytes() const { return 3.0 * sizeof(T) * call_.cols; }
  double bytes() const { return static_cast<double>(call_.rows) * row_bytes(); }

  template <class Run>
  std::string check(std::int64_t rows, const Run& run) const {
    const int cols = call_.cols;
    return check_output(y_, rows, cols, run,
                        [&](std::int64_t row, std::vector<double>& expected, std::vector<double>& scale) {
                          // Two rows of x as wide as y are one row of x.
                          const std::vector<double> first = download_row_as_double(x_, 2 * row, cols);
                          const std::vector<double> second = download_row_as_double(x_, 2 * row + 1, cols);
                          const auto element = [&](int i) {
                            const std::vector<double>& part = i < cols ? first : second;
                            return part[static_cast<std::size_t>(i % cols)];
                          };
                          for (int c = 0; c < cols; ++c) {
                            const double gate = element(interleaved ? 2 * c : c);
                            const double value = element(interleaved ? 2 * c + 1 : c + cols);
                            const double activated = Gate::exact(gate);
                            const auto i = static_cast<std::size_t>(c);
                            expected[i] = activated * value;
                            scale[i] = std::max(std::fabs(activated), std::fabs(gate) * 0x1p-10) * std::fabs(value);
                          }
                        });
  }

 private:
  static constexpr bool interleaved = rowfold::is_interleaved(Place);
  static_assert(Place == rowfold::gate_place::first_half || Place == rowfold::gate_place::even_columns,
                "the check knows these");

  auto args(std::int64_t first_row) const {
    const T* const x = x_ + 2 * first_row * call_.cols;
    T* const y = y_ + first_row * call_.cols;
    if constexpr (interleaved) {
      rowfold::interleaved_gated_args<T, T, Place> args;
      args.x = x;
      args.y = y;
      args.rows = call_.rows;
      args.cols = call_.cols;
      args.request.programmatic = call_.programmatic;
      return args;
    } else {
      auto args = rowfold::gated_halves_args<Place>(x, y, call_.rows, call_.cols);
      args.request.programmatic = call_.programmatic;
      return args;
    }
  }

  row_call call_;
  const T* x_;
  T* y_;
};

template <class T>
using swiglu_op = gated_op<T, silu_gate>;
template <class T>
using geglu_op = gated_op<T, gelu_gate>;
template <class T>
using geglu_tanh_op = gated_op<T, gelu_tanh_gate>;
template <class T>
using reglu_op = gated_op<T, relu_gate>;
template <class T>
using interleaved_swiglu_op = gated_op<T, silu_gate, rowfold::gate_place::even_columns>;

}  // namespace rowfold_bench

// SPDX-License-Identifier: MIT
// Gated activations: y = activation(gate) * value, column by column. SwiGLU has the activation silu, GeGLU gelu (or its
// approximation by tanh), ReGLU relu, the GLU of torch.nn.functional.glu sigmoid. **It is the gate that is activated**,
// and by default it comes first: for rows of 2 * cols elements, swiglu is silu(x[:, :cols]) * x[:, cols:].
//
//   rowfold::swiglu(x, y, rows, cols, stream);                // x [rows, 2 * cols]: gate, then value; y [rows, cols]
//   rowfold::swiglu(gate, value, y, rows, cols, stream);      // two tensors of [rows, cols]
//   rowfold::geglu<rowfold::gate_place::second_half>(x, y, rows, cols, stream);     // value, then gate
//   rowfold::reglu<rowfold::gate_place::even_columns>(x, y, rows, cols, stream);    // gate, value, gate, value, ...
//
//   auto args = rowfold::gated_halves_args(x, y, rows, cols, x_layout);             // everything else: strides, plan
//   args.y_layout = ...;                                                            // requests, and an activation of
//   rowfold::gated_activation(my_activation{}, args, stream);                       // one's own
//
// gate, value and y are float, __half, __nv_bfloat16 or double (all three or none), each of a type of its own. The
// arithmetic is in float (double for double): activation(gate) is rounded to float, the product too, and y once more to
// its type. y may be gate or value itself, also as a half of x: same address, type and layout; any other overlap is the
// caller's error. Every address and stride works; those that are multiples of 16 bytes are fastest. cols is at most
// 2^31 - 65537, or, where gate and value are in turn (even_columns, odd_columns), half of that: 1073709055.
//
// Accuracy, held by the tests against a float64 reference for the activations of numeric/activation.cuh, where
// activation(gate) is normal in float: its error, 4 ulp of max(|activation(gate)|, |gate| * 2^-10), times |value|, and
// half an ulp of y for the product. From 16-bit gates to a 16-bit y, activations with an exponential are computed with
// the GPU's approximations (activation_for in numeric/activation.cuh), whose error is stated there and whose last float
// bits differ between back ends. A 16-bit y is the correctly rounded value or its neighbour, or 0 where
// |activation(gate)| is below |gate| * 2^-125. NaN in either makes that element NaN; so does 0 * inf.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_gated_activation refuses (nothing is written; the plan says
// why), or the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host,
// with the stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
//
// In front of a norm, or of a sink that quantises, a gated activation is a source: row/gated_source.cuh.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/activation.cuh"
#include "rowfold/row/gated_source.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/sink.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/gated_activation.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

template <class Activation, class Gate, class Value, class Y>
auto make_gated_source(const Activation& activation, const gated_args<Gate, Value, Y>& args) {
  return gated_pair(activation_for<Gate, Y>(activation), args.gate, args.value, args.cols, args.gate_layout,
                    args.value_layout);
}
template <class Activation, class X, class Y, gate_place Place>
auto make_gated_source(const Activation& activation, const interleaved_gated_args<X, Y, Place>& args) {
  return gated_interleaved<Place>(activation_for<X, Y>(activation), args.x, args.cols, args.x_layout);
}

template <class Y>
plain_sink<Y> make_plain_sink(Y* y, const row_layout& layout, int cols) {
  return {y, layout.resolved(cols)};
}

}  // namespace detail

// Launches a gated activation as `plan` says, which must have been made for these arguments: gated_args or
// interleaved_gated_args.
template <class Activation, class Args>
[[nodiscard]] cudaError_t launch_gated_activation(const Activation& activation, const Args& args, const row_plan& plan,
                                                  cudaStream_t stream = nullptr) {
  const row_plan checked = check_row_plan(plan, gated_problem(args));
  return launch_row_plan(checked, detail::make_gated_source(activation, args), stages(), identity_map{},
                         detail::make_plain_sink(args.y, args.y_layout, args.cols), args.request.programmatic, stream);
}

// y = activation(gate) * value as `args` describes: plan_gated_activation for the current device (or args.plan), then
// the launch. The activation is a value with a device function of one float that returns one (of double, for double).
template <class Activation, class Args>
[[nodiscard]] cudaError_t gated_activation(const Activation& activation, const Args& args,
                                           cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_gated_activation(activation, args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_gated_activation(activation, args, plan_gated_activation(args, device), stream);
}

// The same for packed rows of 2 * cols elements, and for packed rows of two tensors.
template <gate_place Place = gate_place::first_half, class Activation, class X, class Y>
[[nodiscard]] cudaError_t gated_activation(const Activation& activation, const X* x, Y* y, std::int64_t rows, int cols,
                                           cudaStream_t stream = nullptr) {
  if constexpr (is_interleaved(Place)) {
    interleaved_gated_args<X, Y, Place> args;
    args.x = x;
    args.y = y;
    args.rows = rows;
    args.cols = cols;
    return gated_activation(activation, args, stream);
  } else {
    return gated_activation(activation, gated_halves_args<Place>(x, y, rows, cols), stream);
  }
}
template <class Activation, class Gate, class Value, class Y>
[[nodiscard]] cudaError_t gated_activation(const Activation& activation, const Gate* gate, const Value* value, Y* y,
                                           std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  gated_args<Gate, Value, Y> args;
  args.gate = gate;
  args.value = value;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  return gated_activation(activation, args, stream);
}

// y = silu(gate) * value. The arguments are those of gated_activation after the activation.
template <gate_place Place = gate_place::first_half, class X, class Y>
[[nodiscard]] cudaError_t swiglu(const X* x, Y* y, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  return gated_activation<Place>(silu{}, x, y, rows, cols, stream);
}
template <class Gate, class Value, class Y>
[[nodiscard]] cudaError_t swiglu(const Gate* gate, const Value* value, Y* y, std::int64_t rows, int cols,
                                 cudaStream_t stream = nullptr) {
  return gated_activation(silu{}, gate, value, y, rows, cols, stream);
}

// y = gelu(gate) * value.
template <gate_place Place = gate_place::first_half, class X, class Y>
[[nodiscard]] cudaError_t geglu(const X* x, Y* y, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  return gated_activation<Place>(gelu{}, x, y, rows, cols, stream);
}
template <class Gate, class Value, class Y>
[[nodiscard]] cudaError_t geglu(const Gate* gate, const Value* value, Y* y, std::int64_t rows, int cols,
                                cudaStream_t stream = nullptr) {
  return gated_activation(gelu{}, gate, value, y, rows, cols, stream);
}

// y = gelu_tanh(gate) * value: GELU by its approximation with tanh.
template <gate_place Place = gate_place::first_half, class X, class Y>
[[nodiscard]] cudaError_t geglu_tanh(const X* x, Y* y, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  return gated_activation<Place>(gelu_tanh{}, x, y, rows, cols, stream);
}
template <class Gate, class Value, class Y>
[[nodiscard]] cudaError_t geglu_tanh(const Gate* gate, const Value* value, Y* y, std::int64_t rows, int cols,
                                     cudaStream_t stream = nullptr) {
  return gated_activation(gelu_tanh{}, gate, value, y, rows, cols, stream);
}

// y = max(gate, 0) * value.
template <gate_place Place = gate_place::first_half, class X, class Y>
[[nodiscard]] cudaError_t reglu(const X* x, Y* y, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  return gated_activation<Place>(relu{}, x, y, rows, cols, stream);
}
template <class Gate, class Value, class Y>
[[nodiscard]] cudaError_t reglu(const Gate* gate, const Value* value, Y* y, std::int64_t rows, int cols,
                                cudaStream_t stream = nullptr) {
  return gated_activation(relu{}, gate, value, y, rows, cols, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

// SPDX-License-Identifier: MIT
// SwiGLU and quantising in one pass: q = silu(gate) * value / scale, for fp8 (__nv_fp8_e4m3, __nv_fp8_e5m2) and int8
// (signed char); and the same with any other activation.
//
//   using rowfold::quantize_scale;
//   rowfold::swiglu_quantize(x, q, scales, rows, cols, stream);     // x [rows, 2 * cols]: gate, then value;
//                                                                   // a scale for each row, written
//   rowfold::swiglu_quantize<quantize_scale::per_group>(gate, value, q, scales, rows, cols, stream);    // two tensors
//
//   rowfold::gated_quantize_args<__half, __nv_fp8_e4m3, quantize_scale::given> args;  // everything else: strides, the
//   args.rows = rows; args.cols = cols; args.set_halves(x); args.q = q; ...           // unquantised rows too, and an
//   rowfold::gated_quantize(rowfold::gelu{}, args, stream);                           // activation of your choice
//
// gate and value are float, __half or __nv_bfloat16. Their product is that of gated_activation.cuh, computed once and
// in float, and quantised as quantize.cuh says before any other rounding. y, where it is wanted, is what is quantised,
// rounded to its type; it may be gate or value itself (same address, type and layout). q overlaps nothing. Every
// address and stride works; those that are multiples of 16 bytes (of q: of as many columns) are fastest. Gate and value
// in turn in one tensor: launch_quantized with a gated_interleaved source. Codes and scales of 16-bit gates (y absent
// or of 16 bits) come from the GPU's approximations of the exponential and may differ between back ends where a
// quotient lies next to a midpoint of codes.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_gated_quantize refuses (nothing is written; the plan says why),
// or the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with
// the stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/activation.cuh"
#include "rowfold/quantize.cuh"
#include "rowfold/row/gated_source.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/swiglu_quantize.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches it as `plan` says, which must have been made for these arguments.
template <class Activation, class Gate, class Q, quantize_scale Mode, class Value, class Y>
[[nodiscard]] cudaError_t launch_gated_quantize(const Activation& activation,
                                                const gated_quantize_args<Gate, Q, Mode, Value, Y>& args,
                                                const row_plan& plan, cudaStream_t stream = nullptr) {
  const row_plan checked = check_row_plan(plan, gated_quantize_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const auto source = gated_pair(activation_for<Gate, Y>(activation), args.gate, args.value, args.cols,
                                 args.gate_layout, args.value_layout);
  const optional_sink<Y> rows{args.y, args.y_layout.resolved(args.cols)};
  return launch_quantized<Q, Mode>(checked, source, stages(), identity_map{}, args, rows, args.request.programmatic,
                                   stream);
}

// As `args` describes: plan_gated_quantize for the current device (or args.plan), then the launch. The activation is a
// value with a device function of one float that returns one.
template <class Activation, class Gate, class Q, quantize_scale Mode, class Value, class Y>
[[nodiscard]] cudaError_t gated_quantize(const Activation& activation,
                                         const gated_quantize_args<Gate, Q, Mode, Value, Y>& args,
                                         cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_gated_quantize(activation, args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_gated_quantize(activation, args, plan_gated_quantize(args, device), stream);
}

template <class Gate, class Q, quantize_scale Mode, class Value, class Y>
[[nodiscard]] cudaError_t swiglu_quantize(const gated_quantize_args<Gate, Q, Mode, Value, Y>& args,
                                          cudaStream_t stream = nullptr) {
  return gated_quantize(silu{}, args, stream);
}

// SwiGLU of packed rows of 2 * cols elements, the gate in front or, with second_half, behind.
template <quantize_scale Mode = quantize_scale::per_row, gate_place Place = gate_place::first_half, class X, class Q>
[[nodiscard]] cudaError_t swiglu_quantize(const X* x, Q* q, scale_pointer<Mode> scale, std::int64_t rows, int cols,
                                          cudaStream_t stream = nullptr) {
  gated_quantize_args<X, Q, Mode> args;
  args.rows = rows;
  args.cols = cols;
  args.template set_halves<Place>(x);
  args.q = q;
  args.scale = scale;
  return swiglu_quantize(args, stream);
}

// SwiGLU of packed rows of two tensors.
template <quantize_scale Mode = quantize_scale::per_row, class Gate, class Value, class Q>
[[nodiscard]] cudaError_t swiglu_quantize(const Gate* gate, const Value* value, Q* q, scale_pointer<Mode> scale,
                                          std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  gated_quantize_args<Gate, Q, Mode, Value> args;
  args.gate = gate;
  args.value = value;
  args.q = q;
  args.scale = scale;
  args.rows = rows;
  args.cols = cols;
  return swiglu_quantize(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

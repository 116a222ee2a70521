// SPDX-License-Identifier: MIT
// Quantising rows to 8 bits: q = x / scale, for fp8 (__nv_fp8_e4m3, __nv_fp8_e5m2) and int8 (signed char).
//
//   using rowfold::quantize_scale;
//   rowfold::quantize(x, q, scales, rows, cols, stream);                              // a scale for each row, written
//   rowfold::quantize<quantize_scale::per_group>(x, q, scales, rows, cols, stream);   // [rows, ceil(cols / 128)]
//   rowfold::quantize<quantize_scale::given>(x, q, scale, rows, cols, stream);        // one number, read
//
//   rowfold::quantize_args<__half, __nv_fp8_e4m3, quantize_scale::per_group> args;    // everything else: strides, also
//   args.x = x; args.q = q; args.scale = scales; args.power_of_two = true; ...        // of scales, plan requests
//   rowfold::quantize(args, stream);
//
// x is [rows, cols] of float, __half or __nv_bfloat16. scale is in device memory, too.
//
// The division is true and in float; its result is rounded to the 8-bit type to nearest even. What is too large
// saturates: to 448 (e4m3), 57344 (e5m2), and -128 or 127 (int8), infinities too; a NaN stays one, and is 0 in int8. A
// scale that the op makes is the largest absolute value of the row or group divided by 448, 57344 or 127, at least
// 2^-126, and with power_of_two the next power of two from there; a row or group of zeros gets the scale 1, one with a
// NaN or an infinity the scale NaN, and NaN (0) in every element. A given scale is finite and not zero. Exact: no order
// or rounding of a fold enters; every kernel, address and stride gives the same codes. Rows of up to 128 columns have
// one group: per_row gives the same codes and scales for less.
//
// q overlaps nothing. Every address and stride works; those that are multiples of 16 bytes (of q: of as many columns)
// are fastest.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_quantize refuses (nothing is written; the plan says why), or
// the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with the
// stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/map.cuh"
#include "rowfold/row/optional_sink.cuh"
#include "rowfold/row/quantize_sink.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/source.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/quantize_rows.cuh"
#include "rowfold/quantize.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Quantises as `plan` says, which must have been made for these arguments.
template <class X, class Q, quantize_scale Mode>
[[nodiscard]] cudaError_t launch_quantize(const quantize_args<X, Q, Mode>& args, const row_plan& plan,
                                          cudaStream_t stream = nullptr) {
  const row_plan checked = check_row_plan(plan, quantize_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const plain_source<X> source{args.x, args.x_layout.resolved(args.cols)};
  return launch_quantized<Q, Mode>(checked, source, stages(), identity_map{}, args, optional_sink<absent>{},
                                   args.request.programmatic, stream);
}

// Quantises the rows that `args` describes: plan_quantize for the current device (or args.plan), then the launch.
template <class X, class Q, quantize_scale Mode>
[[nodiscard]] cudaError_t quantize(const quantize_args<X, Q, Mode>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_quantize(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_quantize(args, plan_quantize(args, device), stream);
}

// Quantises packed rows.
template <quantize_scale Mode = quantize_scale::per_row, class X, class Q>
[[nodiscard]] cudaError_t quantize(const X* x, Q* q, scale_pointer<Mode> scale, std::int64_t rows, int cols,
                                   cudaStream_t stream = nullptr) {
  quantize_args<X, Q, Mode> args;
  args.x = x;
  args.q = q;
  args.scale = scale;
  args.rows = rows;
  args.cols = cols;
  return quantize(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

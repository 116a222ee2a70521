// SPDX-License-Identifier: MIT
// RMSNorm and quantising in one pass: q = (x / sqrt(mean(x^2) + eps) * (gamma + weight_offset) + beta) / scale, for fp8
// (__nv_fp8_e4m3, __nv_fp8_e5m2) and int8 (signed char).
//
//   using rowfold::quantize_scale;
//   rowfold::rms_norm_quantize(x, gamma, q, scales, rows, cols, 1e-6, stream);                 // a scale for each row
//   rowfold::rms_norm_quantize<quantize_scale::given>(x, gamma, q, scale, rows, cols, 1e-6);   // one number, read
//
//   rowfold::rms_norm_quantize_args<__half, __nv_fp8_e4m3, quantize_scale::per_group> args; // everything else: bias,
//   args.x = x; args.gamma = gamma; args.q = q; args.scale = scales; ...                    // the normalised rows
//   rowfold::rms_norm_quantize(args, stream);                                               // too, saved rstd, strides
//
// x is [rows, cols] of float, __half or __nv_bfloat16, gamma and beta [cols], each of float, __half or __nv_bfloat16;
// scale is float in device memory: [rows], [rows, ceil(cols / 128)] or one number (quantize.hpp). eps is finite and not
// negative; with eps == 0 a row of zeros has the scale NaN.
//
// The norm, its accuracy and its range are those of rms_norm.cuh; its values are quantised in float, before any
// rounding, as quantize.cuh says: exactly. They are the values that rms_norm rounds to store them, except where squares
// are summed in another order: in rows of 16-bit elements with a scale for each row (of which 1 / rms may be 2^-21 too
// large at 262144 columns), and with scales for groups of 128 columns in rows of up to 256 columns of 16-bit elements
// or 128 of float.
//
// weight_rounding::before_gamma rounds the normalised value to x's type before it is multiplied by the weight.
//
// y, where it is wanted, is what is quantised, rounded to its type; it may be x itself: same pointer, type and layout.
// q overlaps nothing. Every address and stride works; those that are multiples of 16 bytes (of q: of as many columns)
// are fastest.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_rms_norm_quantize refuses (nothing is written; the plan says
// why), or the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host,
// with the stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/quantize.cuh"
#include "rowfold/rms_norm.cuh"
#include "rowfold/row/quantized_norm.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/rms_norm_quantize.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches it as `plan` says, which must have been made for these arguments.
template <weight_rounding Rounding = weight_rounding::none, class X, class Q, quantize_scale Mode, class Gamma,
          class Beta, class Y>
[[nodiscard]] cudaError_t launch_rms_norm_quantize(const rms_norm_quantize_args<X, Q, Mode, Gamma, Beta, Y>& args,
                                                   const row_plan& plan, cudaStream_t stream = nullptr) {
  const row_plan checked = check_row_plan(plan, rms_norm_quantize_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const plain_source<X> source{args.x, args.x_layout.resolved(args.cols)};
  const auto folds = rms_stages_of_codes<Mode, X>(args.cols, args.eps);
  const affine_map<Gamma, Beta, true, float> weight{args.gamma, args.beta, static_cast<float>(args.weight_offset)};
  const auto others =
      both(optional_sink<Y>{args.y, args.y_layout.resolved(args.cols)}, rms_statistics_sink<float>{args.rstd});
  const bool programmatic = args.request.programmatic;
  if constexpr (Rounding == weight_rounding::before_gamma) {
    return launch_quantized<Q, Mode>(checked, source, folds, chain(rms_map{}, round_map<X>{}, weight), args, others,
                                     programmatic, stream);
  } else {
    return launch_quantized<Q, Mode>(checked, source, folds, chain(rms_map{}, weight), args, others, programmatic,
                                     stream);
  }
}

// RMSNorm and quantising of the rows that `args` describes: plan_rms_norm_quantize for the current device (or
// args.plan), then the launch.
template <weight_rounding Rounding = weight_rounding::none, class X, class Q, quantize_scale Mode, class Gamma,
          class Beta, class Y>
[[nodiscard]] cudaError_t rms_norm_quantize(const rms_norm_quantize_args<X, Q, Mode, Gamma, Beta, Y>& args,
                                            cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_rms_norm_quantize<Rounding>(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_rms_norm_quantize<Rounding>(args, plan_rms_norm_quantize(args, device), stream);
}

// The same of packed rows. gamma is a pointer to a type of its own, or a literal nullptr (no weight, known when the op
// is compiled).
template <quantize_scale Mode = quantize_scale::per_row, weight_rounding Rounding = weight_rounding::none, class X,
          class Gamma, class Q>
[[nodiscard]] cudaError_t rms_norm_quantize(const X* x, Gamma gamma, Q* q, scale_pointer<Mode> scale, std::int64_t rows,
                                            int cols, double eps, cudaStream_t stream = nullptr) {
  rms_norm_quantize_args<X, Q, Mode, parameter_type<Gamma>> args;
  args.x = x;
  args.gamma = gamma;
  args.q = q;
  args.scale = scale;
  args.rows = rows;
  args.cols = cols;
  args.eps = eps;
  return rms_norm_quantize<Rounding>(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

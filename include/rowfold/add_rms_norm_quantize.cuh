// SPDX-License-Identifier: MIT
// Residual addition, RMSNorm and quantising in one pass: sum = x + residual, q = rms_norm(sum) / scale, for fp8
// (__nv_fp8_e4m3, __nv_fp8_e5m2) and int8 (signed char).
//
//   using rowfold::quantize_scale;
//   rowfold::add_rms_norm_quantize(x, residual, gamma, q, scales, residual, rows, cols, 1e-6, stream);
//                                               // the sum takes the residual's place, a scale for each row
//   rowfold::add_rms_norm_quantize<quantize_scale::given>(x, residual, gamma, q, scale, sum, rows, cols, 1e-6, stream);
//   rowfold::add_rms_norm_quantize(x, residual, gamma, q, scales, nullptr, rows, cols, 1e-6);  // the sum is not stored
//
//   rowfold::add_rms_norm_quantize_args<__half, __nv_fp8_e4m3, quantize_scale::per_group> args;
//   args.x = x; args.residual = residual; ... args.scale = scales;    // everything else: bias, the normalised rows
//   rowfold::add_rms_norm_quantize<rowfold::residual_rounding::full>(args, stream);    // too, saved rstd, strides,
//                                                                                      // plan requests
//
// x, residual and sum are [rows, cols] of float, __half or __nv_bfloat16, bias, gamma and beta [cols], each of a type
// of its own. The sum is (x + bias) + residual in float, rounded once where it is stored. residual_rounding::stored
// (the default) normalises the sum as it is stored, or would be: the codes are those of an addition and
// rms_norm_quantize on its result, bit for bit; residual_rounding::full normalises the sum before it is rounded.
// weight_rounding::before_gamma rounds the normalised value to the sum's type before it is multiplied by the weight.
// Norm and codes: rms_norm_quantize.cuh.
//
// y (what is quantised, rounded to its type, where it is wanted) and sum may each be x or residual (not both the same
// one): same pointer, type and layout. q overlaps nothing. Every address and stride works; those that are multiples of
// 16 bytes (of q: of as many columns) are fastest.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_add_rms_norm_quantize refuses (nothing is written; the plan
// says why), or the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the
// host, with the stream's device current; nothing is allocated or synchronised, and the call may be captured in a
// graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/quantize.cuh"
#include "rowfold/rms_norm.cuh"
#include "rowfold/row/quantized_norm.cuh"
#include "rowfold/row/residual_source.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/add_rms_norm_quantize.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches it as `plan` says, which must have been made for these arguments.
template <residual_rounding Rounding = residual_rounding::stored, weight_rounding Weight = weight_rounding::none,
          class X, class Q, quantize_scale Mode, class Residual, class Gamma, class Beta, class Y, class Sum,
          class Bias>
[[nodiscard]] cudaError_t launch_add_rms_norm_quantize(
    const add_rms_norm_quantize_args<X, Q, Mode, Residual, Gamma, Beta, Y, Sum, Bias>& args, const row_plan& plan,
    cudaStream_t stream = nullptr) {
  const row_plan checked = check_row_plan(plan, add_rms_norm_quantize_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const residual_source<X, Residual, Sum, Bias, Rounding> source{
      args.x, args.residual, args.bias, args.x_layout.resolved(args.cols), args.residual_layout.resolved(args.cols)};
  const auto folds = rms_stages_of_codes<Mode, Sum>(args.cols, args.eps);
  const affine_map<Gamma, Beta, true, float> weight{args.gamma, args.beta, static_cast<float>(args.weight_offset)};
  const auto rows = both(optional_sink<Y>{args.y, args.y_layout.resolved(args.cols)},
                         source_sink<Sum>{args.sum, args.sum_layout.resolved(args.cols)});
  const auto others = both(rows, rms_statistics_sink<float>{args.rstd});
  const bool programmatic = args.request.programmatic;
  if constexpr (Weight == weight_rounding::before_gamma) {
    return launch_quantized<Q, Mode>(checked, source, folds, chain(rms_map{}, round_map<Sum>{}, weight), args, others,
                                     programmatic, stream);
  } else {
    return launch_quantized<Q, Mode>(checked, source, folds, chain(rms_map{}, weight), args, others, programmatic,
                                     stream);
  }
}

// Addition, RMSNorm and quantising of the rows that `args` describes: plan_add_rms_norm_quantize for the current device
// (or args.plan), then the launch.
template <residual_rounding Rounding = residual_rounding::stored, weight_rounding Weight = weight_rounding::none,
          class X, class Q, quantize_scale Mode, class Residual, class Gamma, class Beta, class Y, class Sum,
          class Bias>
[[nodiscard]] cudaError_t add_rms_norm_quantize(
    const add_rms_norm_quantize_args<X, Q, Mode, Residual, Gamma, Beta, Y, Sum, Bias>& args,
    cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) {
    return launch_add_rms_norm_quantize<Rounding, Weight>(args, args.plan, stream);
  }
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_add_rms_norm_quantize<Rounding, Weight>(args, plan_add_rms_norm_quantize(args, device), stream);
}

// The same of packed rows. gamma is a pointer to a type of its own, or a literal nullptr (no weight, known when the op
// is compiled); sum is a pointer or literal nullptr.
template <quantize_scale Mode = quantize_scale::per_row, residual_rounding Rounding = residual_rounding::stored,
          weight_rounding Weight = weight_rounding::none, class X, class Residual, class Gamma, class Q, class Sum>
[[nodiscard]] cudaError_t add_rms_norm_quantize(const X* x, const Residual* residual, Gamma gamma, Q* q,
                                                scale_pointer<Mode> scale, Sum sum, std::int64_t rows, int cols,
                                                double eps, cudaStream_t stream = nullptr) {
  add_rms_norm_quantize_args<X, Q, Mode, Residual, parameter_type<Gamma>, absent, absent, sum_type<Sum, Residual>> args;
  args.x = x;
  args.residual = residual;
  args.gamma = gamma;
  args.q = q;
  args.scale = scale;
  args.sum = sum;
  args.rows = rows;
  args.cols = cols;
  args.eps = eps;
  return add_rms_norm_quantize<Rounding, Weight>(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

// SPDX-License-Identifier: MIT
// Residual addition and RMSNorm in one pass: sum = x + residual, y = rms_norm(sum).
//
//   rowfold::add_rms_norm(x, residual, gamma, y, sum, rows, cols, 1e-6, stream);      // packed rows
//   rowfold::add_rms_norm(x, residual, gamma, x, residual, rows, cols, 1e-6, stream); // both in place
//   rowfold::add_rms_norm(x, residual, gamma, y, nullptr, rows, cols, 1e-6, stream);  // the sum is not stored
//
//   rowfold::add_rms_norm_args<__half, float> args;               // everything else: bias, weight offset, strides,
//   args.x = x; args.residual = residual; ... args.rstd = rstd;   // saved rstd, plan requests
//   rowfold::add_rms_norm<rowfold::residual_rounding::full>(args, stream);
//
// The fourth template parameter may be only_columns<...> (launch/only_columns.hpp), which compiles the kernels of the
// widths that it names and no others.
//
// x, residual, y and sum are [rows, cols] of float, __half, __nv_bfloat16 or double, bias, gamma and beta [cols], each
// of a type of its own (x, residual and sum: all double or none). All arithmetic is in float (double for double). The
// sum is (x + bias) + residual, rounded once where it is stored.
//
// residual_rounding::stored (the default) normalises the sum as it is stored, or would be: y and rstd are those of an
// addition and rowfold::rms_norm on its result, bit for bit. residual_rounding::full normalises the sum before it is
// rounded. weight_rounding::before_gamma rounds the normalised value to the sum's type before it is multiplied by the
// weight. The accuracy is that of RMSNorm (rms_norm.cuh) on what is normalised.
//
// y may be x or residual, and sum may be x or residual (not both the same one): same pointer, type and layout; any
// other overlap is the caller's error. Every address and stride works; those that are multiples of 16 bytes are
// fastest.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_add_rms_norm refuses (nothing is written; the plan says why),
// or the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with
// the stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/rms_norm.cuh"
#include "rowfold/row/residual_source.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/add_rms_norm.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches an addition + RMSNorm as `plan` says, which must have been made for these arguments.
template <residual_rounding Rounding = residual_rounding::stored, weight_rounding Weight = weight_rounding::none,
          class Math = accurate_math, class Compiled = any_columns, class X, class Residual, class Gamma, class Beta,
          class Y, class Sum, class Bias>
[[nodiscard]] cudaError_t launch_add_rms_norm(const add_rms_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args,
                                              const row_plan& plan, cudaStream_t stream = nullptr) {
  using value_type = accumulate_t<Sum>;
  const row_plan checked = check_row_plan(plan, add_rms_norm_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const residual_source<X, Residual, Sum, Bias, Rounding> source{
      args.x, args.residual, args.bias, args.x_layout.resolved(args.cols), args.residual_layout.resolved(args.cols)};
  const auto folds = rms_stages<value_type, Math>(args.cols, static_cast<value_type>(args.eps));
  const affine_map<Gamma, Beta, true, value_type> weight{args.gamma, args.beta,
                                                         static_cast<value_type>(args.weight_offset)};
  const auto rows = both(plain_sink<Y>{args.y, args.y_layout.resolved(args.cols)},
                         source_sink<Sum>{args.sum, args.sum_layout.resolved(args.cols)});
  const auto sink = both(rows, rms_statistics_sink<value_type>{args.rstd});
  const bool programmatic = args.request.programmatic;
  if constexpr (Weight == weight_rounding::before_gamma) {
    return launch_row_plan<Compiled>(checked, source, folds, chain(rms_map{}, round_map<Sum>{}, weight), sink,
                                     programmatic, stream);
  } else {
    return launch_row_plan<Compiled>(checked, source, folds, chain(rms_map{}, weight), sink, programmatic, stream);
  }
}

// Addition + RMSNorm of the rows that `args` describes: plan_add_rms_norm for the current device (or args.plan), then
// the launch.
template <residual_rounding Rounding = residual_rounding::stored, weight_rounding Weight = weight_rounding::none,
          class Math = accurate_math, class Compiled = any_columns, class X, class Residual, class Gamma, class Beta,
          class Y, class Sum, class Bias>
[[nodiscard]] cudaError_t add_rms_norm(const add_rms_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args,
                                       cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) {
    return launch_add_rms_norm<Rounding, Weight, Math, Compiled>(args, args.plan, stream);
  }
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_add_rms_norm<Rounding, Weight, Math, Compiled>(args, plan_add_rms_norm<Compiled>(args, device), stream);
}

// Addition + RMSNorm of packed rows. gamma is a pointer to a type of its own, or a literal nullptr (no weight, known
// when the op is compiled); sum is a pointer or literal nullptr.
template <residual_rounding Rounding = residual_rounding::stored, weight_rounding Weight = weight_rounding::none,
          class Math = accurate_math, class Compiled = any_columns, class X, class Residual, class Gamma, class Y,
          class Sum>
[[nodiscard]] cudaError_t add_rms_norm(const X* x, const Residual* residual, Gamma gamma, Y* y, Sum sum,
                                       std::int64_t rows, int cols, double eps, cudaStream_t stream = nullptr) {
  add_rms_norm_args<X, Residual, parameter_type<Gamma>, absent, Y, sum_type<Sum, Residual>> args;
  args.x = x;
  args.residual = residual;
  args.gamma = gamma;
  args.y = y;
  args.sum = sum;
  args.rows = rows;
  args.cols = cols;
  args.eps = eps;
  return add_rms_norm<Rounding, Weight, Math, Compiled>(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

// SPDX-License-Identifier: MIT
// Dropout, residual addition and LayerNorm in one pass: sum = dropout(x + bias) + residual, y = layer_norm(sum).
//
//   const rowfold::random_state random{seed, offset};
//   rowfold::dropout_add_layer_norm(x, residual, gamma, beta, y, sum, rows, cols, 0.1, random, 1e-5, stream);
//
//   rowfold::dropout_add_layer_norm_args<__half> args;   // everything else: bias, strides, saved statistics, seeds in
//   args.p = 0.1; args.random.device_seed = seeds; ...   // device memory, plan requests
//   rowfold::dropout_add_layer_norm(args, stream);
//
// The third template parameter may be only_columns<...> (launch/only_columns.hpp), which compiles the kernels of the
// widths that it names and no others.
//
// The dropout is that of rowfold::dropout (dropout.cuh): the same mask for the same p, seed, offset and shape. Its
// result stays in float (double for double) and is added to the residual; from there on everything is as in
// rowfold::add_layer_norm (add_layer_norm.cuh): types, the rounding of the sum, accuracy, which outputs may lie over
// which inputs, what is returned and when nothing is launched. In addition, p outside of [0, 1] or NaN is refused. p =
// 0 gives the bits of add_layer_norm.
#pragma once

#include "rowfold/add_layer_norm.cuh"
#include "rowfold/config.hpp"
#include "rowfold/row/dropout_residual_source.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/dropout_add_layer_norm.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches it as `plan` says, which must have been made for these arguments.
template <residual_rounding Rounding = residual_rounding::stored, class Math = accurate_math,
          class Compiled = any_columns, class X, class Residual, class Gamma, class Beta, class Y, class Sum,
          class Bias>
[[nodiscard]] cudaError_t launch_dropout_add_layer_norm(
    const dropout_add_layer_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args, const row_plan& plan,
    cudaStream_t stream = nullptr) {
  const row_plan checked = check_row_plan(plan, dropout_add_layer_norm_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const dropout_residual_source<X, Residual, Sum, Bias, Rounding> source{
      {args.x, args.residual, args.bias, args.x_layout.resolved(args.cols), args.residual_layout.resolved(args.cols)},
      dropout_map(args.p, args.random, args.cols)};
  return detail::launch_norm_of_sums<Math, Compiled>(source, args, checked, stream);
}

// The rows that `args` describes: plan_dropout_add_layer_norm for the current device (or args.plan), then the launch.
template <residual_rounding Rounding = residual_rounding::stored, class Math = accurate_math,
          class Compiled = any_columns, class X, class Residual, class Gamma, class Beta, class Y, class Sum,
          class Bias>
[[nodiscard]] cudaError_t dropout_add_layer_norm(
    const dropout_add_layer_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) {
    return launch_dropout_add_layer_norm<Rounding, Math, Compiled>(args, args.plan, stream);
  }
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_dropout_add_layer_norm<Rounding, Math, Compiled>(
      args, plan_dropout_add_layer_norm<Compiled>(args, device), stream);
}

// Packed rows. gamma and beta are pointers, each to a type of its own, or literal nullptr (1 and 0, known when the op
// is compiled); sum is a pointer or literal nullptr.
template <residual_rounding Rounding = residual_rounding::stored, class Math = accurate_math,
          class Compiled = any_columns, class X, class Residual, class Gamma, class Beta, class Y, class Sum>
[[nodiscard]] cudaError_t dropout_add_layer_norm(const X* x, const Residual* residual, Gamma gamma, Beta beta, Y* y,
                                                 Sum sum, std::int64_t rows, int cols, double p,
                                                 const random_state& random, double eps,
                                                 cudaStream_t stream = nullptr) {
  dropout_add_layer_norm_args<X, Residual, parameter_type<Gamma>, parameter_type<Beta>, Y, sum_type<Sum, Residual>>
      args;
  args.x = x;
  args.residual = residual;
  args.gamma = gamma;
  args.beta = beta;
  args.y = y;
  args.sum = sum;
  args.rows = rows;
  args.cols = cols;
  args.p = p;
  args.random = random;
  args.eps = eps;
  return dropout_add_layer_norm<Rounding, Math, Compiled>(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

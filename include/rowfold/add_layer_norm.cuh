// SPDX-License-Identifier: MIT
// Residual addition and LayerNorm in one pass: sum = x + residual, y = layer_norm(sum).
//
//   rowfold::add_layer_norm(x, residual, gamma, beta, y, sum, rows, cols, 1e-5, stream);     // packed rows
//   rowfold::add_layer_norm(x, residual, gamma, beta, x, residual, rows, cols, 1e-5);        // both in place
//   rowfold::add_layer_norm(x, residual, gamma, beta, y, nullptr, rows, cols, 1e-5, stream); // the sum is not stored
//
//   rowfold::add_layer_norm_args<__half, float> args;            // everything else: bias, strides, saved statistics,
//   args.x = x; args.residual = residual; ... args.mean = mean;  // plan requests
//   rowfold::add_layer_norm<rowfold::residual_rounding::full>(args, stream);
//
// The third template parameter may be only_columns<...> (launch/only_columns.hpp), which compiles the kernels of the
// widths that it names and no others.
//
// x, residual, y and sum are [rows, cols] of float, __half, __nv_bfloat16 or double, bias, gamma and beta [cols], each
// of a type of its own (x, residual and sum: all double or none). All arithmetic is in float (double for double). The
// sum is (x + bias) + residual, rounded once where it is stored.
//
// residual_rounding::stored (the default) normalises the sum as it is stored, or would be: y, mean and rstd are those
// of an addition and rowfold::layer_norm on its result, bit for bit. residual_rounding::full normalises the sum before
// it is rounded. The accuracy is that of LayerNorm (layer_norm.cuh) on what is normalised.
//
// y may be x or residual, and sum may be x or residual (not both the same one): same pointer, type and layout; any
// other overlap is the caller's error. Every address and stride works; those that are multiples of 16 bytes are
// fastest.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_add_layer_norm refuses (nothing is written; the plan says why),
// or the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with
// the stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/layer_norm.cuh"
#include "rowfold/row/residual_source.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/add_layer_norm.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

// LayerNorm of the rows of a source, which are stored as well: what follows the addition, whatever it adds.
template <class Math, class Compiled, class Source, class X, class Residual, class Gamma, class Beta, class Y,
          class Sum, class Bias>
cudaError_t launch_norm_of_sums(const Source& source,
                                const add_layer_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args,
                                const row_plan& plan, cudaStream_t stream) {
  using value_type = accumulate_t<Sum>;
  const auto folds = normalize_stages<value_type, Math>(args.cols, static_cast<value_type>(args.eps),
                                                        plan.shape.granule, plan.shape.lanes);
  const auto map = chain(normalize_map{}, affine_map<Gamma, Beta>{args.gamma, args.beta});
  const auto rows = both(plain_sink<Y>{args.y, args.y_layout.resolved(args.cols)},
                         source_sink<Sum>{args.sum, args.sum_layout.resolved(args.cols)});
  const auto sink = both(rows, normalize_statistics_sink<value_type>{args.mean, args.rstd});
  return launch_row_plan<Compiled>(plan, source, folds, map, sink, args.request.programmatic, stream);
}

}  // namespace detail

// Launches an addition + LayerNorm as `plan` says, which must have been made for these arguments.
template <residual_rounding Rounding = residual_rounding::stored, class Math = accurate_math,
          class Compiled = any_columns, class X, class Residual, class Gamma, class Beta, class Y, class Sum,
          class Bias>
[[nodiscard]] cudaError_t launch_add_layer_norm(const add_layer_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args,
                                                const row_plan& plan, cudaStream_t stream = nullptr) {
  const row_plan checked = check_row_plan(plan, add_layer_norm_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const residual_source<X, Residual, Sum, Bias, Rounding> source{
      args.x, args.residual, args.bias, args.x_layout.resolved(args.cols), args.residual_layout.resolved(args.cols)};
  return detail::launch_norm_of_sums<Math, Compiled>(source, args, checked, stream);
}

// Addition + LayerNorm of the rows that `args` describes: plan_add_layer_norm for the current device (or args.plan),
// then the launch.
template <residual_rounding Rounding = residual_rounding::stored, class Math = accurate_math,
          class Compiled = any_columns, class X, class Residual, class Gamma, class Beta, class Y, class Sum,
          class Bias>
[[nodiscard]] cudaError_t add_layer_norm(const add_layer_norm_args<X, Residual, Gamma, Beta, Y, Sum, Bias>& args,
                                         cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset)
    return launch_add_layer_norm<Rounding, Math, Compiled>(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_add_layer_norm<Rounding, Math, Compiled>(args, plan_add_layer_norm<Compiled>(args, device), stream);
}

// Addition + LayerNorm of packed rows. gamma and beta are pointers, each to a type of its own, or literal nullptr (1
// and 0, known when the op is compiled); sum is a pointer or literal nullptr.
template <residual_rounding Rounding = residual_rounding::stored, class Math = accurate_math,
          class Compiled = any_columns, class X, class Residual, class Gamma, class Beta, class Y, class Sum>
[[nodiscard]] cudaError_t add_layer_norm(const X* x, const Residual* residual, Gamma gamma, Beta beta, Y* y, Sum sum,
                                         std::int64_t rows, int cols, double eps, cudaStream_t stream = nullptr) {
  add_layer_norm_args<X, Residual, parameter_type<Gamma>, parameter_type<Beta>, Y, sum_type<Sum, Residual>> args;
  args.x = x;
  args.residual = residual;
  args.gamma = gamma;
  args.beta = beta;
  args.y = y;
  args.sum = sum;
  args.rows = rows;
  args.cols = cols;
  args.eps = eps;
  return add_layer_norm<Rounding, Math, Compiled>(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

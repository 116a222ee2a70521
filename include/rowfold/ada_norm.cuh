// SPDX-License-Identifier: MIT
// Adaptive LayerNorm and RMSNorm forward: y = norm(x) * (1 + scale[group]) + shift[group], where each group of rows
// (the tokens of a batch element) has a scale and a shift of its own, as in diffusion transformers.
//
//   rowfold::ada_layer_norm(x, scale, shift, y, rows, cols, rows_per_group, 1e-6, stream);   // packed rows and vectors
//   rowfold::ada_rms_norm(x, scale, nullptr, y, rows, cols, rows_per_group, 1e-6, stream);   // no shift
//
//   rowfold::ada_norm_args<__nv_bfloat16> args;            // everything else: strides, saved statistics, plan requests
//   args.x = x; args.scale = m + cols; args.shift = m;     // both cut from a modulation of [batch, 6 * cols]:
//   args.scale_stride = args.shift_stride = 6 * cols;
//   rowfold::ada_layer_norm(args, stream);
//
// x and y are [rows, cols] of float, __half, __nv_bfloat16 or double, scale and shift [groups, cols], each of a type of
// its own; row r belongs to group r / rows_per_group. All arithmetic is in float (double if x is double), 1 + scale
// too; y is rounded once. The norms are those of layer_norm.cuh and rms_norm.cuh, without their own weights: with 1 +
// scale in gamma's place and shift in beta's, their words on accuracy hold. y may be x itself: same pointer, type and
// layout; any other overlap is the caller's error. Every address and stride works; those that are multiples of 16 bytes
// are fastest.
//
// A norm with a weight of its own in front of the modulation is a fusion by fold_rows: chain(normalize_map{},
// affine_map<...>{...}, modulate_map<...>{...}).
//
// Return cudaSuccess, cudaErrorInvalidValue where the planner refuses (nothing is written; the plan says why), or the
// error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with the
// stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/ada_norm.hpp"
#include "rowfold/config.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/modulate_map.cuh"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/rms_normalize.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

template <class X, class Scale, class Shift, class Y, class Stages, class Norm, class Statistics>
cudaError_t launch_ada_norm(const ada_norm_args<X, Scale, Shift, Y>& args, const row_plan& plan, const Stages& folds,
                            const Norm& norm, const Statistics& statistics, cudaStream_t stream) {
  const plain_source<X> source{args.x, args.x_layout.resolved(args.cols)};
  const modulate_map<Scale, Shift> modulation{args.scale, args.shift, args.groups()};
  const auto sink = both(plain_sink<Y>{args.y, args.y_layout.resolved(args.cols)}, statistics);
  return launch_row_plan(plan, source, folds, chain(norm, modulation), sink, args.request.programmatic, stream);
}

// The arguments of the calls for packed rows.
template <class X, class Scale, class Shift, class Y>
auto ada_norm_call(const X* x, Scale scale, Shift shift, Y* y, std::int64_t rows, int cols, std::int64_t rows_per_group,
                   double eps) {
  ada_norm_args<X, parameter_type<Scale>, parameter_type<Shift>, Y> args;
  args.x = x;
  args.scale = scale;
  args.shift = shift;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  args.rows_per_group = rows_per_group;
  args.eps = eps;
  return args;
}

}  // namespace detail

// Launch the ops as `plan` says, which must have been made for these arguments.
template <class Math = accurate_math, class X, class Scale, class Shift, class Y>
[[nodiscard]] cudaError_t launch_ada_layer_norm(const ada_norm_args<X, Scale, Shift, Y>& args, const row_plan& plan,
                                                cudaStream_t stream = nullptr) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, ada_layer_norm_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const auto folds = normalize_stages<value_type, Math>(args.cols, static_cast<value_type>(args.eps),
                                                        checked.shape.granule, checked.shape.lanes);
  return detail::launch_ada_norm(args, checked, folds, normalize_map{},
                                 normalize_statistics_sink<value_type>{args.mean, args.rstd}, stream);
}

template <class Math = accurate_math, class X, class Scale, class Shift, class Y>
[[nodiscard]] cudaError_t launch_ada_rms_norm(const ada_norm_args<X, Scale, Shift, Y>& args, const row_plan& plan,
                                              cudaStream_t stream = nullptr) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, ada_rms_norm_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  return detail::launch_ada_norm(args, checked,
                                 rms_stages<value_type, Math>(args.cols, static_cast<value_type>(args.eps)), rms_map{},
                                 rms_statistics_sink<value_type>{args.rstd}, stream);
}

// The norms of the rows that `args` describes: the plan for the current device (or args.plan), then the launch.
template <class Math = accurate_math, class X, class Scale, class Shift, class Y>
[[nodiscard]] cudaError_t ada_layer_norm(const ada_norm_args<X, Scale, Shift, Y>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_ada_layer_norm<Math>(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_ada_layer_norm<Math>(args, plan_ada_layer_norm(args, device), stream);
}

template <class Math = accurate_math, class X, class Scale, class Shift, class Y>
[[nodiscard]] cudaError_t ada_rms_norm(const ada_norm_args<X, Scale, Shift, Y>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_ada_rms_norm<Math>(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_ada_rms_norm<Math>(args, plan_ada_rms_norm(args, device), stream);
}

// The norms of packed rows, with packed vectors. scale and shift are pointers, each to a type of its own, or literal
// nullptr (0, known when the op is compiled).
template <class Math = accurate_math, class X, class Scale, class Shift, class Y>
[[nodiscard]] cudaError_t ada_layer_norm(const X* x, Scale scale, Shift shift, Y* y, std::int64_t rows, int cols,
                                         std::int64_t rows_per_group, double eps, cudaStream_t stream = nullptr) {
  return ada_layer_norm<Math>(detail::ada_norm_call(x, scale, shift, y, rows, cols, rows_per_group, eps), stream);
}

template <class Math = accurate_math, class X, class Scale, class Shift, class Y>
[[nodiscard]] cudaError_t ada_rms_norm(const X* x, Scale scale, Shift shift, Y* y, std::int64_t rows, int cols,
                                       std::int64_t rows_per_group, double eps, cudaStream_t stream = nullptr) {
  return ada_rms_norm<Math>(detail::ada_norm_call(x, scale, shift, y, rows, cols, rows_per_group, eps), stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

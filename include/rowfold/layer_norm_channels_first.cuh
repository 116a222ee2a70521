// SPDX-License-Identifier: MIT
// LayerNorm over the channels of channels-first tensors: y[n, :, s] = (x[n, :, s] - mean) / sqrt(variance + eps) *
// gamma + beta for each n and s, where x is [batch, channels, spatial] (N x C x H x W with spatial = H * W).
//
//   rowfold::layer_norm_channels_first(x, gamma, beta, y, batch, channels, spatial, 1e-5, stream);
//
//   rowfold::layer_norm_channels_first_args<__half, float, float, __half> args;   // everything else: strides, saved
//   args.x = x; args.gamma = gamma; ... args.mean = mean;                         // statistics, plan requests
//   rowfold::layer_norm_channels_first(args, stream);
//
// x is read once and y written once, where x has up to 20480 channels of 2 bytes or 8192 of 4 bytes, a multiple of 16
// bytes; gamma and beta must then be absent or lie at multiples of 16 bytes. Others are read once for each of three
// passes. The addresses and strides of x and y do not matter. Neighbouring threads have neighbouring positions: few of
// them (less than 16, say) make slow accesses; for spatial == 1, rows one after the other, there is layer_norm.
//
// Types, arithmetic, accuracy and bits are those of layer_norm on the same rows (layer_norm.cuh): transposing,
// layer_norm and transposing back give the same y. y may be x itself: same pointer, type and layout; any other overlap
// is the caller's error.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_layer_norm_channels_first refuses (nothing is written; the plan
// says why), or the error of the launch. A size of 0 is success, and nothing is launched. Called from the host, with
// the stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/affine_map.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/spaced_parts.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/layer_norm_channels_first.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches the op as `plan` says, which must have been made for these arguments.
template <class Math = accurate_math, class X, class Gamma, class Beta, class Y>
[[nodiscard]] cudaError_t launch_layer_norm_channels_first(
    const layer_norm_channels_first_args<X, Gamma, Beta, Y>& args, const row_plan& plan,
    cudaStream_t stream = nullptr) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, layer_norm_channels_first_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const channel_layout x = args.x_layout.resolved(args.channels, args.spatial);
  const channel_layout y = args.y_layout.resolved(args.channels, args.spatial);
  const spaced_source<X> source{{args.x, x.rows(args.spatial)}, x.channel_stride};
  const auto folds = normalize_stages<value_type, Math>(args.channels, static_cast<value_type>(args.eps),
                                                        checked.shape.granule, checked.shape.lanes);
  const auto map = chain(normalize_map{}, affine_map<Gamma, Beta>{args.gamma, args.beta});
  const auto sink = both(spaced_sink<Y>{{args.y, y.rows(args.spatial)}, y.channel_stride},
                         normalize_statistics_sink<value_type>{args.mean, args.rstd});
  return launch_row_plan(checked, source, folds, map, sink, args.request.programmatic, stream);
}

// The op that `args` describes: plan_layer_norm_channels_first for the current device (or args.plan), then the launch.
template <class Math = accurate_math, class X, class Gamma, class Beta, class Y>
[[nodiscard]] cudaError_t layer_norm_channels_first(const layer_norm_channels_first_args<X, Gamma, Beta, Y>& args,
                                                    cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_layer_norm_channels_first<Math>(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_layer_norm_channels_first<Math>(args, plan_layer_norm_channels_first(args, device), stream);
}

// LayerNorm over the channels of a packed tensor [batch, channels, spatial]. gamma and beta are pointers, each to a
// type of its own, or literal nullptr (1 and 0, known when the op is compiled).
template <class Math = accurate_math, class X, class Gamma, class Beta, class Y>
[[nodiscard]] cudaError_t layer_norm_channels_first(const X* x, Gamma gamma, Beta beta, Y* y, std::int64_t batch,
                                                    int channels, std::int64_t spatial, double eps,
                                                    cudaStream_t stream = nullptr) {
  layer_norm_channels_first_args<X, parameter_type<Gamma>, parameter_type<Beta>, Y> args;
  args.x = x;
  args.gamma = gamma;
  args.beta = beta;
  args.y = y;
  args.batch = batch;
  args.channels = channels;
  args.spatial = spatial;
  args.eps = eps;
  return layer_norm_channels_first<Math>(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

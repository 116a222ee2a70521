// SPDX-License-Identifier: MIT
// Cross-entropy forward: the loss of each row of logits x against its label,
//
//   lse  = log(sum of exp(x))
//   loss = (1 - label_smoothing) * (lse - x[label]) + label_smoothing * (lse - mean(x)) + z_loss * lse^2
//
//   rowfold::cross_entropy(logits, labels, loss, lse, rows, cols, -100, stream);   // packed rows; lse may be nullptr
//
//   rowfold::cross_entropy_args<__nv_bfloat16> args;                               // everything else: strides, label
//   args.logits = logits; args.labels = labels; ... args.label_smoothing = 0.1;    // smoothing, z-loss, soft-capped
//   rowfold::cross_entropy(args, stream);                                          // logits, plan requests
//
// logits are [rows, cols] of float, __half or __nv_bfloat16, labels [rows] of int32 or int64, loss and lse [rows] of
// float; all arithmetic is in float. A row is read once, in one pass (folds/exp_sum.cuh), whatever its width. The
// stored loss holds the z-loss term, as is usual where models are trained with it; lse does not. A row whose label is
// ignore_index has the loss 0, whatever else is asked for; its lse is that of its logits. A label that is neither
// ignore_index nor a column gives the loss NaN, and nothing is read outside the row. Outputs may not overlap the
// inputs.
//
// Logits of -inf take no part in the sum: the loss of a row that is labelled with one of them is +inf, and so is, as
// the formula has it, each smoothed loss of a row with one. A row with a NaN or +inf has NaN for both results; a row of
// -inf alone has the lse -inf and the loss NaN, and so has a row of no column.
//
// Accuracy, held by the tests against a float64 reference: 8 ulp of max(|result|, |largest logit|, 1) for lse and loss,
// where label_smoothing and z_loss * |lse| are at most 1. Every address and stride works; rows that start at multiples
// of 16 bytes and are a multiple of 16 bytes long are fastest.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_cross_entropy refuses (nothing is written; the plan says why),
// or the error of the launch. rows == 0 is success, and nothing is launched. Called from the host, with the
// stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/cross_entropy_parts.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_kernel.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/cross_entropy.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

// Smooth: whether the mean logit is folded.
template <bool Smooth, class Source, class X, class Label>
cudaError_t launch_cross_entropy(const cross_entropy_args<X, Label>& args, const row_plan& plan, const Source& source,
                                 cudaStream_t stream) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, cross_entropy_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const label_list labels{args.labels, sizeof(Label) == 8, args.ignore_index};
  const auto fold = stages(
      cross_entropy_stage<value_type, Smooth>{labels, static_cast<value_type>(1.0 / (args.cols == 0 ? 1 : args.cols))});
  const cross_entropy_sink<Source> sink{source,
                                        labels,
                                        args.loss,
                                        args.lse,
                                        static_cast<value_type>(args.label_smoothing),
                                        static_cast<value_type>(1 - args.label_smoothing),
                                        static_cast<value_type>(args.z_loss)};
  return launch_row_plan(checked, source, fold, identity_map{}, sink, args.request.programmatic, stream);
}

// The kernels for neither smoothed labels nor soft-capped logits.
template <class X, class Label>
cudaError_t launch_plain_cross_entropy(const cross_entropy_args<X, Label>& args, const row_plan& plan,
                                       cudaStream_t stream) {
  const plain_source<X> source{args.logits, args.logits_layout.resolved(args.cols)};
  return launch_cross_entropy<false>(args, plan, source, stream);
}

}  // namespace detail

// Launches cross-entropy as `plan` says, which must have been made for these arguments.
template <class X, class Label>
[[nodiscard]] cudaError_t launch_cross_entropy(const cross_entropy_args<X, Label>& args, const row_plan& plan,
                                               cudaStream_t stream = nullptr) {
  if (args.label_smoothing == 0 && args.soft_cap == 0) return detail::launch_plain_cross_entropy(args, plan, stream);
  using value_type = accumulate_t<X>;
  const value_type cap = static_cast<value_type>(args.soft_cap);
  const value_type inverse_cap = static_cast<value_type>(args.soft_cap == 0 ? 0 : 1 / args.soft_cap);
  const capped_source<X> source{{args.logits, args.logits_layout.resolved(args.cols)}, cap, inverse_cap};
  return detail::launch_cross_entropy<true>(args, plan, source, stream);
}

// Cross-entropy of the rows that `args` describes: plan_cross_entropy for the current device (or args.plan), then the
// launch.
template <class X, class Label>
[[nodiscard]] cudaError_t cross_entropy(const cross_entropy_args<X, Label>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_cross_entropy(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_cross_entropy(args, plan_cross_entropy(args, device), stream);
}

// Cross-entropy of packed rows; lse may be null. Compiles only the kernels that it needs.
template <class X, class Label>
[[nodiscard]] cudaError_t cross_entropy(const X* logits, const Label* labels, float* loss, float* lse,
                                        std::int64_t rows, int cols, std::int64_t ignore_index = -100,
                                        cudaStream_t stream = nullptr) {
  cross_entropy_args<X, Label> args;
  args.logits = logits;
  args.labels = labels;
  args.loss = loss;
  args.lse = lse;
  args.rows = rows;
  args.cols = cols;
  args.ignore_index = ignore_index;
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return detail::launch_plain_cross_entropy(args, plan_cross_entropy(args, device), stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

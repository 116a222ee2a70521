// SPDX-License-Identifier: MIT
// Row reductions: statistics of each row, one or several in one pass over the rows.
//
//   rowfold::row_max(x, largest, rows, cols, stream);                        // packed rows, one statistic
//   rowfold::row_variance(x, variance, rows, cols, 1, stream);               // unbiased
//
//   namespace statistic = rowfold::statistic;                                // several, each row read once
//   rowfold::row_reduce(x, rows, cols, rowfold::statistics(statistic::mean(mean), statistic::variance(variance),
//                                                          statistic::abs_max(largest)), stream);
//
//   auto args = rowfold::make_row_reduce_args(x, rows, cols, rowfold::statistics(...));   // strides, plan requests
//   args.x_layout = rowfold::row_layout::strided(stride);
//   rowfold::row_reduce(args, stream);
//
// x is [rows, cols] of float, __half, __nv_bfloat16 or double; each statistic (row/statistic.hpp lists and defines
// them) goes to [rows] elements of a type of its own, and may overlap neither x nor another. All arithmetic is in float
// (double if x is double); results are rounded once to their type. The rows are read once; twice where there is a
// variance and they do not fit into shared memory. A result's bits do not depend on which others are asked for, but for
// one thing: with a variance, rows are looked at twice, and kept for that by other lanes than rows that are looked at
// once.
//
// Accuracy, held by the tests against a float64 reference, for every finite row: min, max, abs_max and the columns of
// arg_min and arg_max are exact. sum, mean (times cols) and l1_norm: (ceil(log2 lanes) + cols / lanes + 2) * 2^-24 *
// sum of |x|, for the lanes that the plan names; l2_norm relatively so. variance: 1e-5 relative up to 262144 columns
// (in proportion beyond), for rows whose mean is at most 1e4 standard deviations and whose sum of (x - mean)^2 is
// finite in float; 0 exactly for rows of equal elements. log_sum_exp: 8 ulp of max(|result|, |max|, 1).
// A NaN in a row makes its statistics NaN (arg_min and arg_max: its column) and no other row's.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_row_reduce refuses (nothing is written; the plan says why), or
// the error of the launch. rows == 0 is success, and nothing is launched. Rows without columns get the results that
// row/statistic.hpp gives for no element; min, max, arg_min and arg_max have none and are refused. Called from the
// host, with the stream's device current; nothing is allocated or synchronised, and the call may be captured in a
// graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/source.cuh"
#include "rowfold/row/statistic_sink.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/row_reduce.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches a row reduction as `plan` says, which must have been made for these arguments.
template <class X, class... Statistics>
[[nodiscard]] cudaError_t launch_row_reduce(const row_reduce_args<X, Statistics...>& args, const row_plan& plan,
                                            cudaStream_t stream = nullptr) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, row_reduce_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const plain_source<X> source{args.x, args.x_layout.resolved(args.cols)};
  const auto folds =
      statistic_stages<value_type>(args.statistics, args.cols, checked.shape.granule, checked.shape.lanes);
  const statistic_sink<value_type, Statistics...> sink{args.statistics};
  return launch_row_plan(checked, source, folds, identity_map{}, sink, args.request.programmatic, stream);
}

// The statistics of the rows that `args` describes: plan_row_reduce for the current device (or args.plan), then the
// launch.
template <class X, class... Statistics>
[[nodiscard]] cudaError_t row_reduce(const row_reduce_args<X, Statistics...>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_row_reduce(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_row_reduce(args, plan_row_reduce(args, device), stream);
}

// Statistics of packed rows.
template <class X, class... Statistics>
[[nodiscard]] cudaError_t row_reduce(const X* x, std::int64_t rows, int cols, const statistic_list<Statistics...>& list,
                                     cudaStream_t stream = nullptr) {
  return row_reduce(make_row_reduce_args(x, rows, cols, list), stream);
}

// One statistic of packed rows; out is [rows].
template <class X, class Out>
[[nodiscard]] cudaError_t row_sum(const X* x, Out* out, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::sum(out)), stream);
}
template <class X, class Out>
[[nodiscard]] cudaError_t row_mean(const X* x, Out* out, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::mean(out)), stream);
}
template <class X, class Out>
[[nodiscard]] cudaError_t row_variance(const X* x, Out* out, std::int64_t rows, int cols, int correction,
                                       cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::variance(out, correction)), stream);
}
template <class X, class Out>
[[nodiscard]] cudaError_t row_min(const X* x, Out* out, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::min(out)), stream);
}
template <class X, class Out>
[[nodiscard]] cudaError_t row_max(const X* x, Out* out, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::max(out)), stream);
}
template <class X, class Index>
[[nodiscard]] cudaError_t row_arg_min(const X* x, Index* out, std::int64_t rows, int cols,
                                      cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::arg_min(out)), stream);
}
template <class X, class Index>
[[nodiscard]] cudaError_t row_arg_max(const X* x, Index* out, std::int64_t rows, int cols,
                                      cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::arg_max(out)), stream);
}
template <class X, class Out>
[[nodiscard]] cudaError_t row_l1_norm(const X* x, Out* out, std::int64_t rows, int cols,
                                      cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::l1_norm(out)), stream);
}
template <class X, class Out>
[[nodiscard]] cudaError_t row_l2_norm(const X* x, Out* out, std::int64_t rows, int cols,
                                      cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::l2_norm(out)), stream);
}
template <class X, class Out>
[[nodiscard]] cudaError_t row_abs_max(const X* x, Out* out, std::int64_t rows, int cols,
                                      cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::abs_max(out)), stream);
}
template <class X, class Out>
[[nodiscard]] cudaError_t row_log_sum_exp(const X* x, Out* out, std::int64_t rows, int cols,
                                          cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::log_sum_exp(out)), stream);
}
template <class X, class Flag>
[[nodiscard]] cudaError_t row_any_nonfinite(const X* x, Flag* out, std::int64_t rows, int cols,
                                            cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::any_nonfinite(out)), stream);
}
template <class X, class Flag>
[[nodiscard]] cudaError_t row_all_finite(const X* x, Flag* out, std::int64_t rows, int cols,
                                         cudaStream_t stream = nullptr) {
  return row_reduce(x, rows, cols, statistics(statistic::all_finite(out)), stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

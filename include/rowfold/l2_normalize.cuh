// SPDX-License-Identifier: MIT
// L2 normalisation forward: y = x / max(norm(x), eps) over each row, with the Euclidean norm.
//
//   rowfold::l2_normalize(x, y, rows, cols, 1e-12, stream);     // packed rows
//
//   rowfold::l2_normalize_args<__half> args;                    // everything else: strides, saved norms, plan requests
//   args.x = x; args.y = y; ... args.norm = norm;
//   rowfold::l2_normalize(args, stream);
//
// x and y are [rows, cols] of float, __half, __nv_bfloat16 or double, each of a type of its own. All arithmetic is in
// float (double if x is double); y is rounded once. y may be x itself: same pointer, type and layout; any other overlap
// is the caller's error. Every address and stride works; those that are multiples of 16 bytes are fastest.
//
// Accuracy, held by the tests against a float64 reference: 8 ulp of |y| up to 16384 columns, beyond in proportion to
// the columns, for rows whose sum(x^2) is finite in float and whose max(norm, eps) is right as far as squares go: the
// mean of x^2 or eps^2 / cols at least 2^-126 (any row, with an eps from 1e-19 * sqrt(cols) on). Of a row with smaller
// elements the squares, and so the norm, lose accuracy; with eps == 0 a row of zeros is 0 / 0: NaN. A 16-bit y is the
// correctly rounded value or its neighbour.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_l2_normalize refuses (nothing is written; the plan says why),
// or the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with
// the stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/l2_scale.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// L2 normalisation of one row in a user's own kernel, with something before and after it: as rms_norm_row.
template <class RowData, class Group, class Source, class Map, class Sink>
ROWFOLD_DEVICE void l2_normalize_row(Group& group, long long row, int cols, typename Source::value_type eps,
                                     const Source& source, const Map& after, const Sink& sink) {
  const auto folds = stages(l2_stage<typename Source::value_type>(eps));
  fold_row<RowData>(group, row, cols, source, folds, chained_map<l2_map, Map>{l2_map{}, after}, sink);
}

// The same for one row in memory. x and y point to the row's first column (y may be x).
template <class X, class Y, class Group>
ROWFOLD_DEVICE void l2_normalize_row(Group& group, const X* x, Y* y, int cols, accumulate_t<X> eps) {
  using row_data = reread_row<granule_access::any, 1, plain_source<X>>;
  l2_normalize_row<row_data>(group, 0, cols, eps, plain_source<X>{x, row_layout::strided(0)}, identity_map{},
                             plain_sink<Y>{y, row_layout::strided(0)});
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/l2_normalize.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches L2 normalisation as `plan` says, which must have been made for these arguments.
template <class X, class Y>
[[nodiscard]] cudaError_t launch_l2_normalize(const l2_normalize_args<X, Y>& args, const row_plan& plan,
                                              cudaStream_t stream = nullptr) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, l2_normalize_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const plain_source<X> source{args.x, args.x_layout.resolved(args.cols)};
  const auto folds = stages(l2_stage<value_type>(static_cast<value_type>(args.eps)));
  const auto sink =
      both(plain_sink<Y>{args.y, args.y_layout.resolved(args.cols)}, l2_statistics_sink<value_type>{args.norm});
  return launch_row_plan(checked, source, folds, l2_map{}, sink, args.request.programmatic, stream);
}

// L2 normalisation of the rows that `args` describes: plan_l2_normalize for the current device (or args.plan), then the
// launch.
template <class X, class Y>
[[nodiscard]] cudaError_t l2_normalize(const l2_normalize_args<X, Y>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_l2_normalize(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_l2_normalize(args, plan_l2_normalize(args, device), stream);
}

// L2 normalisation of packed rows.
template <class X, class Y>
[[nodiscard]] cudaError_t l2_normalize(const X* x, Y* y, std::int64_t rows, int cols, double eps,
                                       cudaStream_t stream = nullptr) {
  l2_normalize_args<X, Y> args;
  args.x = x;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  args.eps = eps;
  return l2_normalize(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

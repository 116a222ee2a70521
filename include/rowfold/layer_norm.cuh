// SPDX-License-Identifier: MIT
// LayerNorm forward: y = (x - mean(x)) / sqrt(variance(x) + eps) * gamma + beta over each row.
//
//   rowfold::layer_norm(x, gamma, beta, y, rows, cols, 1e-5, stream);          // packed rows
//   rowfold::layer_norm(x, nullptr, nullptr, y, rows, cols, 1e-5, stream);     // no affine part
//
//   rowfold::layer_norm_args<__half, float, float, __half> args;               // everything else: strides, saved
//   args.x = x; args.gamma = gamma; ... args.mean = mean;                      // statistics, plan requests
//   rowfold::layer_norm(args, stream);
//
//   rowfold::layer_norm<rowfold::accurate_math, rowfold::only_columns<768>>(...);  // compiles one kernel, not nine
//
// x and y are [rows, cols] of float, __half, __nv_bfloat16 or double, gamma and beta [cols], each of a type of its own.
// All arithmetic is in float (double if x is double); y is rounded once. The variance is the mean of squares (biased),
// by the corrected two-pass algorithm (row/normalize.cuh). y may be x itself: same pointer, type and layout; any other
// overlap is the caller's error. Every address and stride works; those that are multiples of 16 bytes are fastest.
//
// Accuracy, held by the tests against a float64 reference, with the planner's number of lanes, for rows whose mean is
// at most 1e4 standard deviations, whose sum of (x - mean)^2 is finite in float, and whose variance + eps is at least
// 2^-126 (with eps == 0: a standard deviation of 1.1e-19): 8 ulp of max(|y|, |gamma|, |beta|) up to 16384 columns;
// beyond, in proportion to the columns (seen: below 4, and 8 at 262144 columns of equal squares). A 16-bit y is the
// correctly rounded value or its neighbour, except where (x - mean) * rstd * gamma and beta cancel. A search for the
// worst rows, each with the gamma and beta that are worst for it (beta takes half of the product away), found 8.2 ulp
// of a float y in one of a million rows, else less than 8; in double, whose folds are longer, 13 at 16384 columns.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_layer_norm refuses (nothing is written; the plan says why), or
// the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with the
// stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/affine_map.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/normalize.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// LayerNorm of one row in a user's own kernel, with something before and after it: `source` makes the row's values
// (plain_source, or a user's own), `after` is a map applied to the normalised values (affine_map, or a user's own
// chain), `sink` stores them. All threads of the group call it together; groups of up to 32 lanes: all threads of the
// warp, with cols == 0 in a group that has no row. Any number of columns; RowData = held_row<any, n, Source>
// (row/held_row.cuh) reads a row of up to n granules a lane only once, a reread_row (row/reread_row.cuh) reads it again
// in each pass. eps: finite, not negative, in the type of the source's values.
template <class RowData, class Group, class Source, class Map, class Sink>
ROWFOLD_DEVICE void layer_norm_row(Group& group, long long row, int cols, typename Source::value_type eps,
                                   const Source& source, const Map& after, const Sink& sink) {
  const auto folds =
      normalize_stages<typename Source::value_type>(cols > 0 ? cols : 1, eps, Source::granule, group.lanes());
  fold_row<RowData>(group, row, cols, source, folds, chained_map<normalize_map, Map>{normalize_map{}, after}, sink);
}

// The same for one row in memory: y = (x - mean) * rstd * gamma + beta. x and y point to the row's first column (y may
// be x); gamma and beta to [cols] parameters, or they are null.
template <class X, class Gamma, class Beta, class Y, class Group>
ROWFOLD_DEVICE void layer_norm_row(Group& group, const X* x, const Gamma* gamma, const Beta* beta, Y* y, int cols,
                                   accumulate_t<X> eps) {
  using row_data = reread_row<granule_access::any, 1, plain_source<X>>;
  layer_norm_row<row_data>(group, 0, cols, eps, plain_source<X>{x, row_layout::strided(0)},
                           affine_map<Gamma, Beta>{gamma, beta}, plain_sink<Y>{y, row_layout::strided(0)});
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/layer_norm.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches LayerNorm as `plan` says, which must have been made for these arguments.
template <class Math = accurate_math, class Compiled = any_columns, class X, class Gamma, class Beta, class Y>
[[nodiscard]] cudaError_t launch_layer_norm(const layer_norm_args<X, Gamma, Beta, Y>& args, const row_plan& plan,
                                            cudaStream_t stream = nullptr) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, layer_norm_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const plain_source<X> source{args.x, args.x_layout.resolved(args.cols)};
  const auto folds = normalize_stages<value_type, Math>(args.cols, static_cast<value_type>(args.eps),
                                                        checked.shape.granule, checked.shape.lanes);
  const auto map = chain(normalize_map{}, affine_map<Gamma, Beta>{args.gamma, args.beta});
  const auto sink = both(plain_sink<Y>{args.y, args.y_layout.resolved(args.cols)},
                         normalize_statistics_sink<value_type>{args.mean, args.rstd});
  return launch_row_plan<Compiled>(checked, source, folds, map, sink, args.request.programmatic, stream);
}

// LayerNorm of the rows that `args` describes: plan_layer_norm for the current device (or args.plan), then the launch.
template <class Math = accurate_math, class Compiled = any_columns, class X, class Gamma, class Beta, class Y>
[[nodiscard]] cudaError_t layer_norm(const layer_norm_args<X, Gamma, Beta, Y>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_layer_norm<Math, Compiled>(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_layer_norm<Math, Compiled>(args, plan_layer_norm<Compiled>(args, device), stream);
}

// LayerNorm of packed rows. gamma and beta are pointers, each to a type of its own, or literal nullptr
// (1 and 0, known when the op is compiled).
template <class Math = accurate_math, class Compiled = any_columns, class X, class Gamma, class Beta, class Y>
[[nodiscard]] cudaError_t layer_norm(const X* x, Gamma gamma, Beta beta, Y* y, std::int64_t rows, int cols, double eps,
                                     cudaStream_t stream = nullptr) {
  layer_norm_args<X, parameter_type<Gamma>, parameter_type<Beta>, Y> args;
  args.x = x;
  args.gamma = gamma;
  args.beta = beta;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  args.eps = eps;
  return layer_norm<Math, Compiled>(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

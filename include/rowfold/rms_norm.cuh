// SPDX-License-Identifier: MIT
// RMSNorm forward: y = x / sqrt(mean(x^2) + eps) * (gamma + weight_offset) + beta over each row.
//
//   rowfold::rms_norm(x, gamma, y, rows, cols, 1e-6, stream);            // packed rows
//   rowfold::rms_norm(x, nullptr, y, rows, cols, 1e-6, stream);          // no weight
//
//   rowfold::rms_norm_args<__nv_bfloat16> args;                          // everything else: bias, weight offset,
//   args.x = x; args.gamma = gamma; ... args.weight_offset = 1;          // strides, saved rstd, plan requests
//   rowfold::rms_norm(args, stream);
//   rowfold::rms_norm<rowfold::weight_rounding::before_gamma>(args, stream);
//
// The third template parameter may be only_columns<...> (launch/only_columns.hpp), which compiles the kernels of the
// widths that it names and no others.
//
// x and y are [rows, cols] of float, __half, __nv_bfloat16 or double, gamma and beta [cols], each of a type of its own.
// All arithmetic is in float (double if x is double); y is rounded once. weight_rounding::before_gamma also rounds
// x / sqrt(...) to x's type before it is multiplied by the weight. y may be x itself: same pointer, type and layout;
// any other overlap is the caller's error. Every address and stride works; those that are multiples of 16 bytes are
// fastest.
//
// The heads of a packed projection [tokens, 3 * heads * head_size] are rows of their own. Queries, in place:
//
//   args.x = args.y = qkv;                       // keys: qkv + heads * head_size, with a gamma of their own
//   args.rows = tokens * heads;
//   args.cols = head_size;
//   args.x_layout = args.y_layout = rowfold::row_layout::nested(heads, head_size, 3 * heads * head_size);
//
// Accuracy, held by the tests against a float64 reference: 8 ulp of max(|y|, |weight|, |beta|) up to 16384 columns,
// beyond in proportion to the columns, for rows whose sum(x^2) is finite in float and whose mean(x^2) + eps is at least
// 2^-126, as it is for any eps from 1.2e-38 on. With a smaller eps, rows whose elements are all below about 1e-19 lose
// accuracy, because their squares do; with eps == 0 a row of zeros is 0 / 0: NaN. A 16-bit y is the correctly rounded
// value or its neighbour, but where x * rstd * weight and beta cancel, and (before_gamma) but where the first rounding
// is a tie within the error of the arithmetic.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_rms_norm refuses (nothing is written; the plan says why), or
// the error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with the
// stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/affine_map.cuh"
#include "rowfold/row/map.cuh"
#include "rowfold/row/rms_normalize.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// RMSNorm of one row in a user's own kernel, with something before and after it: `source` makes the row's values
// (plain_source, or a user's own), `after` is a map applied to the normalised values (affine_map, or a user's own
// chain), `sink` stores them. All threads of the group call it together; groups of up to 32 lanes: all threads of the
// warp, with cols == 0 in a group that has no row. Any number of columns; RowData is a held_row
// (row/held_row.cuh) or, for rows too wide for registers, a reread_row (row/reread_row.cuh). eps: finite, not negative,
// in the type of the source's values.
template <class RowData, class Group, class Source, class Map, class Sink>
ROWFOLD_DEVICE void rms_norm_row(Group& group, long long row, int cols, typename Source::value_type eps,
                                 const Source& source, const Map& after, const Sink& sink) {
  const auto folds = rms_stages<typename Source::value_type>(cols > 0 ? cols : 1, eps);
  fold_row<RowData>(group, row, cols, source, folds, chained_map<rms_map, Map>{rms_map{}, after}, sink);
}

// The same for one row in memory: y = x * rstd * gamma. x and y point to the row's first column (y may be x); gamma to
// a [cols] weight, or it is null.
template <class X, class Gamma, class Y, class Group>
ROWFOLD_DEVICE void rms_norm_row(Group& group, const X* x, const Gamma* gamma, Y* y, int cols, accumulate_t<X> eps) {
  using row_data = reread_row<granule_access::any, 1, plain_source<X>>;
  rms_norm_row<row_data>(group, 0, cols, eps, plain_source<X>{x, row_layout::strided(0)},
                         affine_map<Gamma, absent>{gamma, nullptr}, plain_sink<Y>{y, row_layout::strided(0)});
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/rms_norm.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches RMSNorm as `plan` says, which must have been made for these arguments.
template <weight_rounding Rounding = weight_rounding::none, class Math = accurate_math, class Compiled = any_columns,
          class X, class Gamma, class Beta, class Y>
[[nodiscard]] cudaError_t launch_rms_norm(const rms_norm_args<X, Gamma, Beta, Y>& args, const row_plan& plan,
                                          cudaStream_t stream = nullptr) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, rms_norm_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const plain_source<X> source{args.x, args.x_layout.resolved(args.cols)};
  const auto folds = rms_stages<value_type, Math>(args.cols, static_cast<value_type>(args.eps));
  const affine_map<Gamma, Beta, true, value_type> weight{args.gamma, args.beta,
                                                         static_cast<value_type>(args.weight_offset)};
  const auto sink =
      both(plain_sink<Y>{args.y, args.y_layout.resolved(args.cols)}, rms_statistics_sink<value_type>{args.rstd});
  const bool programmatic = args.request.programmatic;
  if constexpr (Rounding == weight_rounding::before_gamma) {
    return launch_row_plan<Compiled>(checked, source, folds, chain(rms_map{}, round_map<X>{}, weight), sink,
                                     programmatic, stream);
  } else {
    return launch_row_plan<Compiled>(checked, source, folds, chain(rms_map{}, weight), sink, programmatic, stream);
  }
}

// RMSNorm of the rows that `args` describes: plan_rms_norm for the current device (or args.plan), then the launch.
template <weight_rounding Rounding = weight_rounding::none, class Math = accurate_math, class Compiled = any_columns,
          class X, class Gamma, class Beta, class Y>
[[nodiscard]] cudaError_t rms_norm(const rms_norm_args<X, Gamma, Beta, Y>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_rms_norm<Rounding, Math, Compiled>(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_rms_norm<Rounding, Math, Compiled>(args, plan_rms_norm<Compiled>(args, device), stream);
}

// RMSNorm of packed rows. gamma is a pointer to a type of its own, or a literal nullptr (no weight, known when the op
// is compiled).
template <weight_rounding Rounding = weight_rounding::none, class Math = accurate_math, class Compiled = any_columns,
          class X, class Gamma, class Y>
[[nodiscard]] cudaError_t rms_norm(const X* x, Gamma gamma, Y* y, std::int64_t rows, int cols, double eps,
                                   cudaStream_t stream = nullptr) {
  rms_norm_args<X, parameter_type<Gamma>, absent, Y> args;
  args.x = x;
  args.gamma = gamma;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  args.eps = eps;
  return rms_norm<Rounding, Math, Compiled>(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

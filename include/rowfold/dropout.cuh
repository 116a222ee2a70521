// SPDX-License-Identifier: MIT
// Dropout: y = 0 with probability p, else x / (1 - p), element by element, with random bits of Philox 4x32-10.
//
//   rowfold::dropout(x, y, rows, cols, 0.1, rowfold::random_state{seed, offset}, stream);   // packed rows
//
//   rowfold::dropout_args<__half> args;           // everything else: strides, plan requests
//   args.random.device_seed = seed_on_device;     // read when the kernel runs: a graph draws new bits at each replay
//   args.x = x; args.y = y; ...
//   rowfold::dropout(args, stream);
//
// x and y are [rows, cols] of float, __half, __nv_bfloat16 or double, each of a type of its own (both double or none).
// Element (row, column) is dropped where the uniform number of element row * cols + column is below p: seed, offset, p
// and this index decide alone, not the kernel, address or stride, so that the mask can be had again, in a backward pass
// for instance. The numbers are multiples of 2^-24: p counts as rounded up to such a multiple. The next call with this
// seed takes offset + philox_offset_step, which is 1 for tensors of any size.
//
// The scale is 1 / (1 - p), rounded once to float; x * scale is rounded to float (double for double), then to Y. What
// is dropped is 0 whatever it was, NaN and infinities, too. p = 0 stores x itself, p = 1 zeros.
//
// y may be x: same pointer, type and layout; any other overlap is the caller's error. Every address and stride works;
// those that are multiples of 16 bytes are fastest.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_dropout refuses (p outside of [0, 1] or NaN, for instance;
// nothing is written; the plan says why), or the error of the launch. rows == 0 or cols == 0 is success, and nothing is
// launched. Called from the host, with the stream's device current; nothing is allocated or synchronised, and the call
// may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/dropout_map.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/dropout.hpp"
#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches a dropout as `plan` says, which must have been made for these arguments.
template <class X, class Y>
[[nodiscard]] cudaError_t launch_dropout(const dropout_args<X, Y>& args, const row_plan& plan,
                                         cudaStream_t stream = nullptr) {
  static_assert(is_same<accumulate_t<X>, accumulate_t<Y>>, "x and y are both of double or none of them is");
  const row_plan checked = check_row_plan(plan, dropout_problem(args));
  if (checked.status != plan_status::ready) return plan_error(checked);
  const plain_source<X> source{args.x, args.x_layout.resolved(args.cols)};
  const plain_sink<Y> sink{args.y, args.y_layout.resolved(args.cols)};
  return launch_row_plan(checked, source, stages(), dropout_map(args.p, args.random, args.cols), sink,
                         args.request.programmatic, stream);
}

// Dropout of the rows that `args` describes: plan_dropout for the current device (or args.plan), then the launch.
template <class X, class Y>
[[nodiscard]] cudaError_t dropout(const dropout_args<X, Y>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_dropout(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_dropout(args, plan_dropout(args, device), stream);
}

// Dropout of packed rows.
template <class X, class Y>
[[nodiscard]] cudaError_t dropout(const X* x, Y* y, std::int64_t rows, int cols, double p, const random_state& random,
                                  cudaStream_t stream = nullptr) {
  dropout_args<X, Y> args;
  args.x = x;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  args.p = p;
  args.random = random;
  return dropout(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

// SPDX-License-Identifier: MIT
// Log-softmax forward: y = z - max(z) - log(sum of e^(z - max(z))) over each row, where z = x * scale + mask.
//
//   rowfold::log_softmax(x, y, rows, cols, stream);                       // packed rows, z = x
//   rowfold::softmax_args<float, float, double> args;                     // everything else: see softmax.cuh
//   rowfold::log_softmax(args, stream);
//
// Types, layouts, options and errors are those of softmax (softmax.cuh). Columns that a row does not see, and values of
// -inf, give -inf; a +inf or a NaN makes its row NaN. A row of nothing but -inf is NaN, or with masked_row::zero (whose
// softmax is 0) -inf; its log_sum_exp is -inf.
//
// Accuracy, held by the tests against a float64 reference: y and log_sum_exp are within 8 ulp of max(|y|, |max(z)|, 1);
// z as in softmax.cuh. A 16-bit y is the correctly rounded value or its neighbour, but where z - max(z) and
// the logarithm cancel.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/softmax.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/log_softmax.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

// Launches log-softmax as `plan` says, which must have been made for these arguments.
template <class X, class Y, class Scale, class Mask, class Columns>
[[nodiscard]] cudaError_t launch_log_softmax(const softmax_args<X, Y, Scale, Mask, Columns>& args, const row_plan& plan,
                                             cudaStream_t stream = nullptr) {
  return detail::launch_softmax_rows<log_softmax_statistics, log_softmax_map>(args, log_softmax_problem(args), plan,
                                                                              stream);
}

// Log-softmax of the rows that `args` describes: plan_log_softmax for the current device (or args.plan), then the
// launch.
template <class X, class Y, class Scale, class Mask, class Columns>
[[nodiscard]] cudaError_t log_softmax(const softmax_args<X, Y, Scale, Mask, Columns>& args,
                                      cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_log_softmax(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_log_softmax(args, plan_log_softmax(args, device), stream);
}

// Log-softmax of packed rows.
template <class X, class Y>
[[nodiscard]] cudaError_t log_softmax(const X* x, Y* y, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  softmax_args<X, Y> args;
  args.x = x;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  return log_softmax(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

// SPDX-License-Identifier: MIT
// Softmax forward: y = e^(z - max(z)) / sum of e^(z - max(z)) over each row, where z = x * scale + mask.
//
//   rowfold::softmax(x, y, rows, cols, stream);                                     // packed rows, z = x
//   using namespace rowfold;
//   softmax_args<__half, __half, double, absent, causal_columns> args;   // everything else: strides, scale, mask,
//   args.x = scores; args.scale = 0.125; ...                             // which columns a row sees, log-sum-exp,
//   args.columns = causal_columns::bottom_right(queries, keys);          // plan requests
//   softmax(args, stream);
//
// x and y are [rows, cols] of float, __half, __nv_bfloat16 or double, each of a type of its own. All arithmetic is in
// float (double if x is double); y is rounded once. Two folds over each row, the largest value and the sum of the
// exponentials (row/softmax_parts.cuh). y may be x itself: same pointer, type and layout; any other overlap is the
// caller's error. Every address and stride works; those that are multiples of 16 bytes are fastest.
//
// Accuracy, held by the tests against a float64 reference, for every finite x and scale (also where x * scale overflows
// or x - max(x) does): relative (8 + |z - max(z)|) * 2^-23, plus one subnormal step. A 16-bit y is the correctly
// rounded value or its neighbour. Without a mask z is never rounded; with one it is x * scale + mask rounded once to
// float. For 16-bit x and y the exponentials are the hardware's (numeric/exp_weight.cuh): then the CPU back end gives
// the same values within these bounds, not the same bits; on one GPU the bits depend on nothing but the row, its width
// and the types.
//
// Values of -inf, and columns that a row does not see, whatever they hold, give exactly 0; +inf or a NaN makes its row
// NaN. A row of nothing but -inf is NaN, or with masked_row::zero 0; its log_sum_exp is -inf.
//
// Returns cudaSuccess, cudaErrorInvalidValue where plan_softmax refuses (nothing is written; the plan says why), or the
// error of the launch. rows == 0 or cols == 0 is success, and nothing is launched. Called from the host, with the
// stream's device current; nothing is allocated or synchronised, and the call may be captured in a graph.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/logit_source.cuh"
#include "rowfold/row/row_kernel.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/softmax_parts.cuh"
#include "rowfold/row/source.cuh"

#if !defined(__CUDACC_RTC__)
#include <cstdint>

#include "rowfold/launch/current_device.cuh"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/softmax.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

// x itself where no option changes it, so that the plain op pays for none.
template <class X, class Y, class Scale, class Mask, class Columns>
auto softmax_source(const softmax_args<X, Y, Scale, Mask, Columns>& args,
                    const logit_scaling<accumulate_t<X>>& scaling) {
  const row_layout x_layout = args.x_layout.resolved(args.cols);
  constexpr bool scaled = !is_same<Scale, absent>;
  if constexpr (!scaled && is_same<Mask, absent> && is_same<Columns, absent>) {
    return plain_source<X>{args.x, x_layout};
  } else {
    const auto columns = prepare_columns(args.columns);
    return logit_source<X, scaled, Mask, decltype(prepare_columns(args.columns))>{
        args.x, x_layout, args.mask, args.mask_layout.resolved(args.cols), columns, scaling};
  }
}

// Launches the op whose statistics and map these are, as `plan` says, which must have been made for `problem`.
template <template <class> class Statistics, class Map, class X, class Y, class Scale, class Mask, class Columns>
cudaError_t launch_softmax_rows(const softmax_args<X, Y, Scale, Mask, Columns>& args, const row_problem& problem,
                                const row_plan& plan, cudaStream_t stream) {
  using value_type = accumulate_t<X>;
  const row_plan checked = check_row_plan(plan, problem);
  if (checked.status != plan_status::ready) return plan_error(checked);
  const auto scaling = make_logit_scaling<value_type>(scale_of(args), !is_same<Mask, absent>);
  const auto source = softmax_source(args, scaling);
  const auto folds = softmax_stages<Statistics<softmax_weight<X, Y>>>(static_cast<double>(scaling.unit), args.masked);
  const auto sink =
      both(plain_sink<Y>{args.y, args.y_layout.resolved(args.cols)}, log_sum_exp_sink<value_type>{args.log_sum_exp});
  return launch_row_plan(checked, source, folds, Map{}, sink, args.request.programmatic, stream);
}

}  // namespace detail

// Launches softmax as `plan` says, which must have been made for these arguments.
template <class X, class Y, class Scale, class Mask, class Columns>
[[nodiscard]] cudaError_t launch_softmax(const softmax_args<X, Y, Scale, Mask, Columns>& args, const row_plan& plan,
                                         cudaStream_t stream = nullptr) {
  return detail::launch_softmax_rows<softmax_statistics, softmax_map>(args, softmax_problem(args), plan, stream);
}

// Softmax of the rows that `args` describes: plan_softmax for the current device (or args.plan), then the launch.
template <class X, class Y, class Scale, class Mask, class Columns>
[[nodiscard]] cudaError_t softmax(const softmax_args<X, Y, Scale, Mask, Columns>& args, cudaStream_t stream = nullptr) {
  if (args.plan.status != plan_status::unset) return launch_softmax(args, args.plan, stream);
  device_info device;
  const cudaError_t error = current_device_info(device);
  if (error != cudaSuccess) return error;
  return launch_softmax(args, plan_softmax(args, device), stream);
}

// Softmax of packed rows.
template <class X, class Y>
[[nodiscard]] cudaError_t softmax(const X* x, Y* y, std::int64_t rows, int cols, cudaStream_t stream = nullptr) {
  softmax_args<X, Y> args;
  args.x = x;
  args.y = y;
  args.rows = rows;
  args.cols = cols;
  return softmax(args, stream);
}

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold
#endif

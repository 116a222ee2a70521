// SPDX-License-Identifier: MIT
// The plan of log-softmax, whose arguments are softmax_args: host values only. log_softmax.cuh has the op.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/softmax.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

template <class X, class Y, class Scale, class Mask, class Columns>
row_problem log_softmax_problem(const softmax_args<X, Y, Scale, Mask, Columns>& args) {
  return detail::softmax_problem(args, "log_softmax");
}

// The plan of a log-softmax: pure, needs no GPU. The launcher does exactly what it says.
template <class X, class Y, class Scale, class Mask, class Columns>
row_plan plan_log_softmax(const softmax_args<X, Y, Scale, Mask, Columns>& args, const device_info& device) {
  return make_row_plan(log_softmax_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

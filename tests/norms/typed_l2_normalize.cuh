// SPDX-License-Identifier: MIT
// From an untyped call to rowfold::l2_normalize.
#pragma once

#include "norms/norm_call.hpp"
#include "rowfold/l2_normalize.cuh"

namespace rowfold_test {

template <class X, class Y>
struct typed_l2_normalize {
  static auto typed(const norm_call& call) {
    rowfold::l2_normalize_args<X, Y> args;
    args.x = static_cast<const X*>(call.x);
    args.y = static_cast<Y*>(call.y);
    args.rows = call.rows;
    args.cols = call.cols;
    args.eps = call.eps;
    args.x_layout = call.x_layout;
    args.y_layout = call.y_layout;
    args.norm = static_cast<rowfold::accumulate_t<X>*>(call.statistic);
    args.request = call.request;
    args.plan = call.plan;
    return args;
  }

  static cudaError_t run(const norm_call& call) { return rowfold::l2_normalize(typed(call), call.stream); }

  static cudaError_t run_short(const norm_call& call) {
    const auto a = typed(call);
    return rowfold::l2_normalize(a.x, a.y, a.rows, a.cols, a.eps, call.stream);
  }

  static rowfold::row_plan plan(const norm_call& call) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return {};
    return rowfold::plan_l2_normalize(typed(call), device);
  }

  static cudaError_t run_plan(const norm_call& call, const rowfold::row_plan& plan) {
    return rowfold::launch_l2_normalize(typed(call), plan, call.stream);
  }

  static constexpr norm_set functions(const char* name, element x, element y) {
    return {norm_op::l2_normalize, name, x, element::float32, y, false, run, run_short, plan, run_plan};
  }
};

}  // namespace rowfold_test

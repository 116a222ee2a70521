// SPDX-License-Identifier: MIT
// From an untyped call to rowfold::ada_layer_norm or rowfold::ada_rms_norm.
#pragma once

#include "norms/norm_call.hpp"
#include "rowfold/ada_norm.cuh"

namespace rowfold_test {

template <norm_op Op, class X, class Parameter, class Y>
struct typed_ada_norm {
  static constexpr bool is_layer_norm = Op == norm_op::ada_layer_norm;
  using statistic = rowfold::accumulate_t<X>;

  static auto typed(const norm_call& call) {
    rowfold::ada_norm_args<X, Parameter, Parameter, Y> args;
    args.x = static_cast<const X*>(call.x);
    args.scale = static_cast<const Parameter*>(call.first);
    args.shift = static_cast<const Parameter*>(call.second);
    args.y = static_cast<Y*>(call.y);
    args.rows = call.rows;
    args.cols = call.cols;
    args.rows_per_group = call.rows_per_group;
    args.eps = call.eps;
    args.x_layout = call.x_layout;
    args.y_layout = call.y_layout;
    args.scale_stride = call.first_stride;
    args.shift_stride = call.second_stride;
    args.mean = static_cast<statistic*>(call.mean);
    args.rstd = static_cast<statistic*>(call.statistic);
    args.request = call.request;
    args.plan = call.plan;
    return args;
  }

  static cudaError_t run(const norm_call& call) {
    if constexpr (is_layer_norm) {
      return rowfold::ada_layer_norm(typed(call), call.stream);
    } else {
      return rowfold::ada_rms_norm(typed(call), call.stream);
    }
  }

  // With scale and shift.
  static cudaError_t run_short(const norm_call& call) {
    const auto a = typed(call);
    if constexpr (is_layer_norm) {
      return rowfold::ada_layer_norm(a.x, a.scale, a.shift, a.y, a.rows, a.cols, a.rows_per_group, a.eps, call.stream);
    } else {
      return rowfold::ada_rms_norm(a.x, a.scale, a.shift, a.y, a.rows, a.cols, a.rows_per_group, a.eps, call.stream);
    }
  }

  static rowfold::row_plan plan(const norm_call& call) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return {};
    if constexpr (is_layer_norm) {
      return rowfold::plan_ada_layer_norm(typed(call), device);
    } else {
      return rowfold::plan_ada_rms_norm(typed(call), device);
    }
  }

  static cudaError_t run_plan(const norm_call& call, const rowfold::row_plan& plan) {
    if constexpr (is_layer_norm) {
      return rowfold::launch_ada_layer_norm(typed(call), plan, call.stream);
    } else {
      return rowfold::launch_ada_rms_norm(typed(call), plan, call.stream);
    }
  }

  static constexpr norm_set functions(const char* name, element x, element parameter, element y) {
    return {Op, name, x, parameter, y, false, run, run_short, plan, run_plan};
  }
};

}  // namespace rowfold_test

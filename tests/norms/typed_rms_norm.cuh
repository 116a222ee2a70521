// SPDX-License-Identifier: MIT
// From an untyped call to rowfold::rms_norm.
#pragma once

#include "norms/norm_call.hpp"
#include "rowfold/rms_norm.cuh"

namespace rowfold_test {

template <class X, class Parameter, class Y, rowfold::weight_rounding Rounding = rowfold::weight_rounding::none>
struct typed_rms_norm {
  using statistic = rowfold::accumulate_t<X>;

  static auto typed(const norm_call& call) {
    rowfold::rms_norm_args<X, Parameter, Parameter, Y> args;
    args.x = static_cast<const X*>(call.x);
    args.gamma = static_cast<const Parameter*>(call.first);
    args.beta = static_cast<const Parameter*>(call.second);
    args.y = static_cast<Y*>(call.y);
    args.rows = call.rows;
    args.cols = call.cols;
    args.eps = call.eps;
    args.weight_offset = call.weight_offset;
    args.x_layout = call.x_layout;
    args.y_layout = call.y_layout;
    args.rstd = static_cast<statistic*>(call.statistic);
    args.request = call.request;
    args.plan = call.plan;
    return args;
  }

  static cudaError_t run(const norm_call& call) { return rowfold::rms_norm<Rounding>(typed(call), call.stream); }

  // Without a bias, and with a literal nullptr for a gamma that is null.
  static cudaError_t run_short(const norm_call& call) {
    const auto a = typed(call);
    if (a.gamma == nullptr) {
      return rowfold::rms_norm<Rounding>(a.x, nullptr, a.y, a.rows, a.cols, a.eps, call.stream);
    }
    return rowfold::rms_norm<Rounding>(a.x, a.gamma, a.y, a.rows, a.cols, a.eps, call.stream);
  }

  static rowfold::row_plan plan(const norm_call& call) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return {};
    return rowfold::plan_rms_norm(typed(call), device);
  }

  static cudaError_t run_plan(const norm_call& call, const rowfold::row_plan& plan) {
    return rowfold::launch_rms_norm<Rounding>(typed(call), plan, call.stream);
  }

  static constexpr norm_set functions(const char* name, element x, element parameter, element y) {
    return {norm_op::rms_norm, name, x,       parameter, y, Rounding == rowfold::weight_rounding::before_gamma, run,
            nullptr,           plan, run_plan};
  }
};

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// From an untyped call to rowfold::layer_norm: what each of the run_*.cpp files instantiates for its types.
#pragma once

#include "layer_norm/layer_norm_call.hpp"
#include "rowfold/layer_norm.cuh"

namespace rowfold_test {

template <class X, class Parameter, class Y, class Compiled = rowfold::any_columns>
struct typed_layer_norm {
  using arguments = rowfold::layer_norm_args<X, Parameter, Parameter, Y>;
  using statistic = rowfold::accumulate_t<X>;
  using math = rowfold::accurate_math;

  static arguments typed(const layer_norm_call& call) {
    arguments args;
    args.x = static_cast<const X*>(call.x);
    args.gamma = static_cast<const Parameter*>(call.gamma);
    args.beta = static_cast<const Parameter*>(call.beta);
    args.y = static_cast<Y*>(call.y);
    args.rows = call.rows;
    args.cols = call.cols;
    args.eps = call.eps;
    args.x_layout = call.x_layout;
    args.y_layout = call.y_layout;
    args.mean = static_cast<statistic*>(call.mean);
    args.rstd = static_cast<statistic*>(call.rstd);
    args.request = call.request;
    args.plan = call.plan;
    return args;
  }

  static cudaError_t run(const layer_norm_call& call) {
    return rowfold::layer_norm<math, Compiled>(typed(call), call.stream);
  }

  static cudaError_t run_fast(const layer_norm_call& call) {
    return rowfold::layer_norm<rowfold::fast_math>(typed(call), call.stream);
  }

  static cudaError_t run_short(const layer_norm_call& call) {
    const arguments a = typed(call);
    // A literal nullptr makes other kernels than a typed pointer that is null: one set of types tests that.
    if constexpr (rowfold::is_same<X, Parameter> && rowfold::is_same<X, __half>) {
      if (a.gamma == nullptr && a.beta == nullptr) {
        return rowfold::layer_norm(a.x, nullptr, nullptr, a.y, a.rows, a.cols, a.eps, call.stream);
      }
      if (a.gamma == nullptr) {
        return rowfold::layer_norm(a.x, nullptr, a.beta, a.y, a.rows, a.cols, a.eps, call.stream);
      }
      if (a.beta == nullptr) {
        return rowfold::layer_norm(a.x, a.gamma, nullptr, a.y, a.rows, a.cols, a.eps, call.stream);
      }
    }
    return rowfold::layer_norm<math, Compiled>(a.x, a.gamma, a.beta, a.y, a.rows, a.cols, a.eps, call.stream);
  }

  static rowfold::row_plan plan(const layer_norm_call& call) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return {};
    return rowfold::plan_layer_norm<Compiled>(typed(call), device);
  }

  static cudaError_t run_plan(const layer_norm_call& call, const rowfold::row_plan& plan) {
    return rowfold::launch_layer_norm<math, Compiled>(typed(call), plan, call.stream);
  }

  static constexpr type_set functions(const char* name, element x, element parameter, element y) {
    return {name, x, parameter, y, run, nullptr, run_short, plan, run_plan};
  }
};

}  // namespace rowfold_test

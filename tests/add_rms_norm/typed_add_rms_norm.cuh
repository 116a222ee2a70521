// SPDX-License-Identifier: MIT
// From an untyped call to rowfold::add_rms_norm: what each of the run_*.cpp files instantiates for its types.
#pragma once

#include "add_rms_norm/add_rms_norm_types.hpp"
#include "rowfold/add_rms_norm.cuh"

namespace rowfold_test {
namespace add_norm {

template <class X, class Residual, class Parameter, class Y, class Sum,
          rowfold::weight_rounding Weight = rowfold::weight_rounding::none>
struct typed_add_rms_norm {
  // The bias has the parameters' type, too.
  using arguments = rowfold::add_rms_norm_args<X, Residual, Parameter, Parameter, Y, Sum, Parameter>;
  static constexpr auto stored = rowfold::residual_rounding::stored;

  static arguments typed(const call& c) {
    arguments args;
    args.x = static_cast<const X*>(c.x);
    args.residual = static_cast<const Residual*>(c.residual);
    args.bias = static_cast<const Parameter*>(c.bias);
    args.gamma = static_cast<const Parameter*>(c.gamma);
    args.beta = static_cast<const Parameter*>(c.beta);
    args.y = static_cast<Y*>(c.y);
    args.sum = static_cast<Sum*>(c.sum);
    args.rows = c.rows;
    args.cols = c.cols;
    args.eps = c.eps;
    args.weight_offset = c.weight_offset;
    args.x_layout = c.x_layout;
    args.residual_layout = c.residual_layout;
    args.y_layout = c.y_layout;
    args.sum_layout = c.sum_layout;
    args.rstd = static_cast<rowfold::accumulate_t<Sum>*>(c.rstd);
    args.request = c.request;
    args.plan = c.plan;
    return args;
  }

  static cudaError_t run(const call& c) { return rowfold::add_rms_norm<stored, Weight>(typed(c), c.stream); }

  static cudaError_t run_full(const call& c) {
    return rowfold::add_rms_norm<rowfold::residual_rounding::full>(typed(c), c.stream);
  }

  // Without bias and beta, so with kernels of its own. A call with a beta has no such form.
  static cudaError_t run_short(const call& c) {
    const arguments a = typed(c);
    if (a.beta != nullptr) return run(c);
    return rowfold::add_rms_norm<stored, Weight>(a.x, a.residual, a.gamma, a.y, a.sum, a.rows, a.cols, a.eps, c.stream);
  }

  // The same with literal nullptr for what is null: kernels of their own again, so for one set of types alone.
  static cudaError_t run_short_literal(const call& c) {
    const arguments a = typed(c);
    if (a.gamma == nullptr && a.beta == nullptr && a.sum == nullptr) {
      return rowfold::add_rms_norm(a.x, a.residual, nullptr, a.y, nullptr, a.rows, a.cols, a.eps, c.stream);
    }
    return run_short(c);
  }

  static rowfold::row_plan plan(const call& c) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return {};
    return rowfold::plan_add_rms_norm(typed(c), device);
  }

  static cudaError_t run_plan(const call& c, const rowfold::row_plan& plan) {
    return rowfold::launch_add_rms_norm<stored, Weight>(typed(c), plan, c.stream);
  }

  static op_types functions(const char* name, element x, element residual, element parameter, element y, element sum) {
    op_types types{};
    types.name = name;
    types.x = x;
    types.residual = residual;
    types.bias = types.parameter = parameter;
    types.y = y;
    types.sum = sum;
    types.has_weight_offset = true;
    types.run = run;
    types.run_short = run_short;
    types.plan = plan;
    types.run_plan = run_plan;
    types.norm = rms_norm_of_sums;
    types.judge = judge_rms_norm;
    return types;
  }
};

}  // namespace add_norm
}  // namespace rowfold_test

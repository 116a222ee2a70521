// SPDX-License-Identifier: MIT
// From an untyped call to rowfold::cross_entropy: what each of the run_*.cpp files instantiates for its type. Labels of
// both types run the same kernels.
#pragma once

#include "cross_entropy/cross_entropy_call.hpp"
#include "rowfold/cross_entropy.cuh"

namespace cross_entropy_test {

template <class X>
struct typed_cross_entropy {
  template <class Label>
  static rowfold::cross_entropy_args<X, Label> typed(const cross_entropy_call& call) {
    rowfold::cross_entropy_args<X, Label> args;
    args.logits = static_cast<const X*>(call.logits);
    args.labels = static_cast<const Label*>(call.labels);
    args.loss = call.loss;
    args.lse = call.lse;
    args.rows = call.rows;
    args.cols = call.cols;
    args.ignore_index = call.ignore_index;
    args.label_smoothing = call.label_smoothing;
    args.z_loss = call.z_loss;
    args.soft_cap = call.soft_cap;
    args.logits_layout = call.logits_layout;
    args.request = call.request;
    args.plan = call.plan;
    return args;
  }

  static cudaError_t run(const cross_entropy_call& call) {
    return call.wide_labels ? rowfold::cross_entropy(typed<std::int64_t>(call), call.stream)
                            : rowfold::cross_entropy(typed<int>(call), call.stream);
  }

  static cudaError_t run_short(const cross_entropy_call& call) {
    const auto wide = typed<std::int64_t>(call);
    const auto narrow = typed<int>(call);
    return call.wide_labels ? rowfold::cross_entropy(wide.logits, wide.labels, wide.loss, wide.lse, wide.rows,
                                                     wide.cols, wide.ignore_index, call.stream)
                            : rowfold::cross_entropy(narrow.logits, narrow.labels, narrow.loss, narrow.lse, narrow.rows,
                                                     narrow.cols, narrow.ignore_index, call.stream);
  }

  static rowfold::row_plan plan(const cross_entropy_call& call) {
    rowfold::device_info device;
    if (rowfold::current_device_info(device) != cudaSuccess) return {};
    return call.wide_labels ? rowfold::plan_cross_entropy(typed<std::int64_t>(call), device)
                            : rowfold::plan_cross_entropy(typed<int>(call), device);
  }

  static cudaError_t run_plan(const cross_entropy_call& call, const rowfold::row_plan& plan) {
    return call.wide_labels ? rowfold::launch_cross_entropy(typed<std::int64_t>(call), plan, call.stream)
                            : rowfold::launch_cross_entropy(typed<int>(call), plan, call.stream);
  }

  static constexpr logit_type functions(const char* name, element x) {
    return {name, x, run, run_short, plan, run_plan};
  }
};

}  // namespace cross_entropy_test

// SPDX-License-Identifier: MIT
// The one call of the library in the layer_norm tool, for whichever back end compiles it: plan, then launch. Both back
// ends are in one binary, so what calls the library must differ between them: here by being local to its source file.
#pragma once

#include <string>

#include "backend.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/layer_norm.cuh"

namespace {

// The task as arguments of the op, with x and y where the back end can reach them.
template <class T>
rowfold::layer_norm_args<T, float, float, T> arguments_of(const problem<T>& task) {
  rowfold::layer_norm_args<T, float, float, T> args;
  args.x = task.x;
  args.gamma = task.gamma;
  args.beta = task.beta;
  args.y = task.y;
  args.rows = task.rows;
  args.cols = task.cols;
  args.eps = task.eps;
  return args;
}

// Plans for the current device. Fills the outcome's plan, and its error where there is no plan to launch.
template <class T>
rowfold::row_plan make_plan(const problem<T>& task, outcome& done) {
  rowfold::device_info device;
  if (rowfold::current_device_info(device) != cudaSuccess) {
    done.error = "the device cannot be asked for its properties";
    return {};
  }
  const rowfold::row_plan made = rowfold::plan_layer_norm(arguments_of(task), device);
  done.plan = rowfold::to_label(made);
  done.explanation = rowfold::to_string(made);
  if (made.status == rowfold::plan_status::refused) done.error = done.plan;
  return made;
}

// Launches exactly that plan. On the GPU the work is then in the default stream.
template <class T>
cudaError_t launch_plan(const problem<T>& task, const rowfold::row_plan& made) {
  rowfold::layer_norm_args<T, float, float, T> args = arguments_of(task);
  args.plan = made;
  return rowfold::layer_norm(args);
}

}  // namespace

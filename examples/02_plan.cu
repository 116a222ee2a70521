// SPDX-License-Identifier: MIT
// 2. What a call will do, and why: the plan is a plain value. plan_layer_norm() is a pure function, so a plan can be
//    made for any device (here the current one), printed, compared and kept; handing it to the launcher in args.plan
//    launches exactly it. A caller who must have the fast path asks for it, and gets an error with a reason where it
//    cannot be.
#include "memory.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/layer_norm.cuh"

int main() {
  constexpr int rows = 3, cols = 1000;
  const device_array<float> x(std::vector<float>(rows * cols + 1, 1.0f));
  const device_array<float> y(rows * cols + 1);
  rowfold::device_info device;
  check(rowfold::current_device_info(device));

  rowfold::layer_norm_args<float, rowfold::absent, rowfold::absent> args;  // neither gamma nor beta
  args.x = x.data();
  args.y = y.data();
  args.rows = rows;
  args.cols = cols;
  const rowfold::row_plan plan = rowfold::plan_layer_norm(args, device);
  std::printf("%s\n", rowfold::to_string(plan).c_str());
  args.plan = plan;
  check(rowfold::layer_norm(args));

  // One element further on, no row starts at a multiple of 16 bytes: the default is still right, only its accesses
  // differ.
  args.x = x.data() + 1;
  args.plan = {};
  const rowfold::row_plan shifted = rowfold::plan_layer_norm(args, device);
  std::printf("%s\n", rowfold::to_string(shifted).c_str());
  check(rowfold::layer_norm(args));

  args.request.require_vectorized = true;
  const rowfold::row_plan refused = rowfold::plan_layer_norm(args, device);
  std::printf("%s", rowfold::to_string(refused).c_str());
  const bool as_told = plan.access == rowfold::row_access::whole && shifted.access == rowfold::row_access::any &&
                       refused.status == rowfold::plan_status::refused &&
                       refused.reason == rowfold::plan_reason::refused_misaligned_pointer &&
                       rowfold::layer_norm(args) == cudaErrorInvalidValue;
  return as_told ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// Host values alone: compiled by the host compiler without ROWFOLD_CPU, so no device code may be included from here.
#include "host_headers.hpp"
#include "program.hpp"

#if defined(ROWFOLD_CPU)
#error "this file must be compiled without the CPU back end"
#endif

float_args make_args(const float* x, float* y) {
  float_args args;
  args.x = x;
  args.y = y;
  args.rows = test_rows;
  args.cols = test_cols;
  return args;
}

rowfold::row_plan make_plan(const float_args& args, const rowfold::device_info& device) {
  return rowfold::plan_layer_norm(args, device);
}

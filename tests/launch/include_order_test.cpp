// SPDX-License-Identifier: MIT
// The headers with host values may come before those with device code, between them, or behind them: this file
// compiles, and the plans that it makes are the launchers' own.
#include "rowfold/layer_norm.hpp"
// A header with device code between two without.
#include "rowfold/memory/vec.cuh"
// The rest.
#include "rowfold/elementwise.hpp"
#include "rowfold/transpose.cuh"
#include "rowfold/transpose.hpp"
// And the other ops.
#include "rowfold/elementwise.cuh"
#include "rowfold/layer_norm.cuh"
#include "support/check.hpp"

TEST_CASE("host values and device code in any order") {
  rowfold::layer_norm_args<float> norm;
  norm.cols = 4;
  CHECK(rowfold::plan_layer_norm(norm, rowfold::device_info{}).reason == rowfold::plan_reason::no_rows);
  CHECK(rowfold::layer_norm(norm) == cudaSuccess);
  rowfold::transpose_args<float> turned;
  turned.cols = 4;
  CHECK(rowfold::plan_transpose(turned, rowfold::device_info{}).reason == rowfold::transpose_reason::no_rows);
  CHECK(rowfold::transpose(turned) == cudaSuccess);
}

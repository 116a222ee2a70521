// SPDX-License-Identifier: MIT
// No number of columns or rows falls between two kernels: each has a plan, and the results are right on both sides of
// every border.
#include <cstdint>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "layer_norm/reference.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

void check_right(const type_set& types, std::int64_t rows, int cols, const rowfold::plan_request& request = {}) {
  const layer_norm_input input = normal_rows(types, rows, cols, 5);
  placement where;
  where.request = request;
  CHECK(compare(input, run(input, where)).fault == "");
}

// The default plan of 1000 aligned, packed rows, as one line.
void check_label(const type_set& types, int cols, const char* label) {
  layer_norm_call call;
  alignas(16) static double aligned[2] = {};
  call.x = call.y = aligned;
  call.gamma = call.beta = aligned;
  call.rows = 1000;
  call.cols = cols;
  rowfold::row_plan plan = types.plan(call);
  plan.input_priority = rowfold::l2_priority::normal;  // which depends on the device
  CHECK(rowfold::to_label(plan) == label);
}

}  // namespace

TEST_CASE("every number of columns has a plan that a kernel can run") {
  alignas(16) static double aligned[2] = {};
  for (const type_set* types : type_sets()) {
    for (int cols = 1; cols <= 300000; cols += cols < 50000 ? 1 : 97) {
      layer_norm_call call;
      call.x = call.y = aligned;
      call.gamma = call.beta = aligned;
      call.rows = 1000;
      call.cols = cols;
      const rowfold::row_plan plan = types->plan(call);
      const std::int64_t held = static_cast<std::int64_t>(plan.vectors) * plan.shape.lanes * plan.shape.granule;
      const bool sound = plan.status == rowfold::plan_status::ready && plan.shape_is_default &&
                         plan.block_threads >= 32 && plan.block_threads <= 1024 && plan.block_threads % 32 == 0 &&
                         static_cast<unsigned>(plan.rows_per_block * plan.shape.lanes) == plan.block_threads &&
                         static_cast<std::int64_t>(plan.grid_blocks) * plan.rows_per_block >= 1000 &&
                         static_cast<std::int64_t>(plan.grid_blocks - 1) * plan.rows_per_block < 1000 &&
                         (plan.variant != rowfold::row_variant::held || held >= cols) &&
                         (plan.variant != rowfold::row_variant::staged || plan.stage_columns >= cols);
      if (!sound) FAIL(types->name << ", " << cols << " columns: " << rowfold::to_string(plan));
    }
  }
  SUCCEED("all of them");
}

TEST_CASE("results are right on both sides of every border between kernels and fold shapes") {
  for (const type_set* types : type_sets()) {
    const std::vector<int> borders = dispatch_borders(*types, sanitized ? 6000 : 45000);
    CHECK(borders.size() >= 5);
    for (const int border : borders) {
      for (const int cols : {border - 1, border, border + 1}) check_right(*types, 1, cols);
    }
  }
}

TEST_CASE("plans of some widths, spelled out") {
  check_label(bfloat16_types, 64, "held/whole 4 lanes x 2, 128 threads, 32 blocks");
  check_label(bfloat16_types, 1024, "held/whole 32 lanes x 4, 64 threads, 500 blocks");
  check_label(bfloat16_types, 1028, "staged/any 32 lanes, 128 threads, 250 blocks");
  check_label(bfloat16_types, 4096, "held/whole 128 lanes x 4, 128 threads, 1000 blocks");
  check_label(float_types, 256, "held/whole 32 lanes x 2, 128 threads, 250 blocks");
}

TEST_CASE("numbers of rows around the limits of a grid's other dimensions") {
  for (const std::int64_t rows : {65535, 65536}) check_right(bfloat16_types, rows, 2);
#if defined(__CUDACC__)
  for (const std::int64_t rows : {65535, 65536, 65537}) check_right(float_types, rows, 3);
  check_right(half_types, 1000003, 3);
  check_right(float_types, 1000003, 2);
  rowfold::plan_request request;
  request.lanes = 64;  // one row a block
  for (const std::int64_t rows : {65535, 65536, 65537, 1000003}) check_right(float_types, rows, 2, request);
  for (const std::int64_t rows : {65535, 65536}) check_right(half_types, rows, 512);
#endif
}

#if defined(__CUDACC__)
TEST_CASE("wide rows have no hole") {
  for (int cols = 8192; cols <= 131072; cols += 128) {
    check_right(float_types, 1, cols);
    check_right(bfloat16_types, 1, cols);
  }
  for (const type_set* types : type_sets()) {
    for (const int cols : {128256, 151936, 262144}) check_right(*types, 2, cols);
  }
}
#endif

// SPDX-License-Identifier: MIT
// No number of columns or rows falls between two kernels: each has a plan, and the results are right on both sides of
// every border.
#include <cstdint>
#include <vector>

#include "rowfold/launch/plan_string.hpp"
#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_run.hpp"
#include "support/check.hpp"

using namespace rowfold_test;

namespace {

void check_right(const softmax_set& set, std::int64_t rows, int cols) {
  const softmax_input input = normal_logits(set, rows, cols, 5);
  CHECK(compare(input, run(input)).fault == "");
}

softmax_call aligned_call(int cols) {
  alignas(16) static double aligned[2] = {};
  softmax_call call;
  call.x = call.mask = call.lengths = aligned;
  call.y = aligned;
  call.rows = 1000;
  call.cols = cols;
  return call;
}

}  // namespace

TEST_CASE("softmax: every number of columns has a plan that a kernel can run") {
  for (const softmax_set* set : softmax_sets()) {
    const int step = set == softmax_sets()[0] ? 1 : 7;
    for (int cols = 1; cols <= 300000; cols += cols < 20000 ? step : 997) {
      const rowfold::row_plan plan = set->plan(aligned_call(cols));
      const std::int64_t held = static_cast<std::int64_t>(plan.vectors) * plan.shape.lanes * plan.shape.granule;
      const bool sound = plan.status == rowfold::plan_status::ready && plan.shape_is_default &&
                         plan.block_threads >= 32 && plan.block_threads <= 512 && plan.block_threads % 32 == 0 &&
                         static_cast<unsigned>(plan.rows_per_block * plan.shape.lanes) == plan.block_threads &&
                         (plan.variant == rowfold::row_variant::held ? held >= cols : plan.stage_columns > 0);
      if (!sound) FAIL(set->name << ", " << cols << " columns: " << rowfold::to_string(plan));
    }
  }
  SUCCEED("all of them");
}

TEST_CASE("softmax: plans of some widths, spelled out") {
  const auto check_label = [](const softmax_set& set, int cols, const char* label) {
    rowfold::row_plan plan = set.plan(aligned_call(cols));
    plan.input_priority = rowfold::l2_priority::normal;  // which depends on the device
    CHECK(rowfold::to_label(plan) == label);
  };
  check_label(bfloat16_softmax, 64, "held/whole 4 lanes x 2, 128 threads, 32 blocks");
  check_label(bfloat16_softmax, 512, "held/whole 32 lanes x 2, 128 threads, 250 blocks");
  check_label(bfloat16_softmax, 768, "held/whole 32 lanes x 4, 128 threads, 250 blocks");
  check_label(bfloat16_softmax, 5120, "held/whole 160 lanes x 4, 160 threads, 1000 blocks");
  check_label(bfloat16_softmax, 16384, "held/whole 512 lanes x 4, 512 threads, 1000 blocks");
  check_label(bfloat16_softmax, 1028, "staged/any 64 lanes, 64 threads, 1000 blocks");
  check_label(float_softmax, 4096, "held/whole 256 lanes x 4, 256 threads, 1000 blocks");
}

TEST_CASE("softmax: results are right on both sides of borders between kernels and fold shapes") {
  for (const softmax_set* set : softmax_sets()) {
    const std::vector<int> borders = softmax_borders(*set, sanitized ? 1200 : 20000);
    CHECK(borders.size() >= 3);
    int last = 0;
    for (const int border : borders) {
      if (border < last + last / 4 && border != borders.back()) continue;
      last = border;
      for (const int cols : {border - 1, border, border + 1}) check_right(*set, 1, cols);
    }
  }
}

TEST_CASE("softmax: numbers of rows around the limits of a grid's other dimensions") {
  for (const std::int64_t rows : {65535, 65536}) check_right(bfloat16_softmax, rows, 2);
#if defined(__CUDACC__)
  for (const std::int64_t rows : {65535, 65536, 65537}) check_right(bfloat16_softmax, rows, 64);
  check_right(float_softmax, 1000003, 3);
#endif
}

#if defined(__CUDACC__)
TEST_CASE("softmax: wide rows have no hole") {
  for (int cols = 8192; cols <= 131072; cols += 128) {
    check_right(float_softmax, 1, cols);
    check_right(bfloat16_softmax, 1, cols);
  }
  for (const softmax_set* set : softmax_sets()) {
    for (const int cols : {128256, 151936, 262144}) check_right(*set, 2, cols);
  }
}
#endif

// SPDX-License-Identifier: MIT
// What LayerNorm over channels plans, and what it does with arguments that ask for nothing or for what cannot be done.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "layer_norm_channels_first/channels_first_run.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;
using rowfold::plan_reason;
using rowfold::plan_status;
using rowfold::row_plan;

namespace {

// A good call of bfloat16, whose y must stay as it is.
class small_call {
 public:
  small_call() : x_(2 * 16 * 3), y_(2 * 16 * 3) {
    call.x = x_.data();
    call.y = y_.data();
    call.gamma = call.beta = x_.data();
    call.batch = 2;
    call.channels = 16;
    call.spatial = 3;
  }

  row_plan plan() const { return types().plan(call); }

  void expect_refused(plan_reason reason, const std::string& words) const {
    INFO("expected: " << words);
    CHECK(plan().status == plan_status::refused);
    CHECK(plan().reason == reason);
    CHECK(rowfold::to_string(plan()).find(words) != std::string::npos);
    CHECK(static_cast<int>(types().run(call)) == static_cast<int>(cudaErrorInvalidValue));
    expect_untouched();
  }

  void expect_nothing(plan_reason reason) const {
    CHECK(plan().status == plan_status::nothing);
    CHECK(plan().reason == reason);
    require_success(types().run(call));
    expect_untouched();
  }

  void expect_untouched() const {
    rowfold_test::sync();
    CHECK(y_.download() == std::vector<std::uint16_t>(y_.size(), 0xFFFF));
    CHECK(y_.canaries_intact());
  }

  static const channels_first_types& types() { return channels_first_type_sets().front(); }

  channels_first_call call;

 private:
  buffer<std::uint16_t> x_, y_;
};

}  // namespace

TEST_CASE("LayerNorm over channels plans neighbouring rows side by side") {
  small_call c;
  c.call.channels = 256;
  c.call.spatial = 3136;
  const row_plan plan = c.plan();
  CHECK(plan.variant == rowfold::row_variant::held);
  CHECK(plan.shape == rowfold::fold_shape{8, 8});
  CHECK(plan.vectors == 4);
  CHECK(plan.rows_per_thread == 2);
  CHECK(plan.block_threads == 256);
  CHECK(plan.rows_per_block == 64);
  CHECK(plan.grid_blocks == 98);
  CHECK(plan.minimal_bytes == 2 * 2 * (2 * 256 * 3136 + 256));
  const std::string text = rowfold::to_string(plan);
  CHECK(text.find("layer_norm_channels_first of 6272 rows x 256 columns") == 0);
  CHECK(text.find("side by side, two in a thread; every granule is complete") != std::string::npos);
  CHECK(rowfold::to_label(plan).find("256 threads, 2 rows each, 98 blocks") != std::string::npos);
}

TEST_CASE("LayerNorm over channels plans one row in a thread where rows do not pair up, and other blocks") {
  small_call c;
  c.call.channels = 768;
  c.call.spatial = 196;
  CHECK(c.plan().rows_per_block == 32);
  CHECK(c.plan().block_threads == 512);  // columns begin anywhere in a sector
  c.call.spatial = 208;
  CHECK(c.plan().rows_per_block == 16);
  CHECK(c.plan().block_threads == 256);
  c.call.spatial = 49;
  CHECK(c.plan().rows_per_thread == 1);
  CHECK(c.plan().rows_per_block == 16);
  CHECK(c.plan().block_threads == 512);
  CHECK(rowfold::to_string(c.plan()).find("neighbouring rows side by side; every granule") != std::string::npos);
  c.call.channels = 2;
  CHECK(c.plan().block_threads == 128);
  CHECK(c.plan().rows_per_block == 128);
  CHECK(rowfold::to_string(c.plan()).find("rows read again in each pass: not every granule") != std::string::npos);
}

TEST_CASE("LayerNorm over channels refuses bad arguments, with the reason, and writes nothing") {
  small_call c;
  const channels_first_call good = c.call;
  c.call.batch = -1;
  c.expect_refused(plan_reason::refused_rows, "rows is negative");
  c.call.spatial = -3;
  c.expect_refused(plan_reason::refused_rows, "rows is negative");
  c.call = good;
  c.call.channels = -1;
  c.expect_refused(plan_reason::refused_cols, "columns is negative");
  c.call = good;
  c.call.batch = c.call.spatial = std::int64_t{1} << 40;
  c.expect_refused(plan_reason::refused_too_many_rows, "do not fit");
  c.call = good;
  c.call.spatial = std::int64_t{1} << 33;
  c.expect_refused(plan_reason::refused_layout, "too many");
  c.call = good;
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    c.call.eps = bad;
    c.expect_refused(plan_reason::refused_eps, "eps");
  }
  c.call = good;
  c.call.x = nullptr;
  c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
  c.call = good;
  c.call.y = nullptr;
  c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
}

TEST_CASE("LayerNorm over channels refuses requests that cannot be met, and plans of other arguments") {
  small_call c;
  const channels_first_call good = c.call;
  c.call.request.staged = true;
  c.expect_refused(plan_reason::refused_request, "variant");
  c.call.request = {};
  c.call.request.block_threads = 48;
  c.expect_refused(plan_reason::refused_request, "threads");
  c.call.request = {};
  c.call.request.require_vectorized = true;
  CHECK(c.plan().status == plan_status::ready);
  c.call.channels = 15;
  c.expect_refused(plan_reason::refused_partial_granule, "granule");
  c.call = good;
  c.call.plan = c.plan();
  c.call.channels = 12;
  CHECK(static_cast<int>(c.types().run(c.call)) == static_cast<int>(cudaErrorInvalidValue));
  c.expect_untouched();
}

TEST_CASE("an op whose lanes work together within a warp is refused where columns lie apart") {
  rowfold::row_problem problem;
  problem.rows = 4;
  problem.cols = 256;
  problem.granule = 8;
  problem.spaced_columns = true;
  rowfold::operand x;
  x.name = "x";
  x.element_bytes = 2;
  x.spaced_columns = true;
  problem.add(x);
  CHECK(rowfold::make_row_plan<true>(problem, {}).status == plan_status::ready);
  problem.joined_granules = 16;
  const row_plan plan = rowfold::make_row_plan<true>(problem, {});
  CHECK(plan.reason == plan_reason::refused_joined_lanes);
  CHECK(rowfold::to_string(plan).find("within a warp") != std::string::npos);
}

TEST_CASE("the planner of one kind of rows refuses the other kind") {
  rowfold::row_problem problem;
  problem.rows = 4;
  problem.cols = 256;
  problem.granule = 8;
  rowfold::operand x;
  x.element_bytes = 2;
  problem.add(x);
  CHECK(rowfold::make_row_plan(problem, {}).status == plan_status::ready);
  row_plan plan = rowfold::make_row_plan<true>(problem, {});
  CHECK(plan.reason == plan_reason::refused_column_spacing);
  CHECK(rowfold::to_string(plan).find("columns lie apart") != std::string::npos);
  problem.spaced_columns = true;
  CHECK(rowfold::make_row_plan<true>(problem, {}).status == plan_status::ready);
  plan = rowfold::make_row_plan(problem, {});
  CHECK(plan.status == plan_status::refused);
  CHECK(plan.reason == plan_reason::refused_column_spacing);
}

TEST_CASE("LayerNorm over channels of nothing: success, and nothing is written") {
  small_call c;
  const channels_first_call good = c.call;
  c.call.batch = 0;
  c.expect_nothing(plan_reason::no_rows);
  c.call = good;
  c.call.spatial = 0;
  c.expect_nothing(plan_reason::no_rows);
  c.call = good;
  c.call.channels = 0;
  c.expect_nothing(plan_reason::no_columns);
  c.call = {};
  c.expect_nothing(plan_reason::no_rows);
}

// SPDX-License-Identifier: MIT
// Rows of which nothing is folded go in parts, each of lanes of its own: how the planner cuts them, that every column
// is mapped once, and that a sink finishes each row once. Values and bytes of such ops: map_only_test.cpp.
#include <cstdint>
#include <vector>

#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/map.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "support/buffer.cuh"
#include "support/check.hpp"
#include "support/values.hpp"

using namespace rowfold_test;
using rowfold::plan_reason;
using rowfold::row_variant;

namespace {

std::size_t count(long long n) { return static_cast<std::size_t>(n); }

// A problem that reads one tensor of `bytes` an element and folds nothing.
rowfold::row_problem map_problem(std::int64_t rows, int cols, int bytes) {
  rowfold::row_problem problem;
  problem.op = "map";
  problem.rows = rows;
  problem.cols = cols;
  problem.granule = 16 / bytes;
  problem.fold_passes = 0;
  rowfold::operand x;
  x.name = "x";
  x.element_bytes = bytes;
  x.layout = rowfold::row_layout::strided(cols);
  problem.add(x);
  x.name = "y";
  x.kind = rowfold::operand_kind::output;
  problem.add(x);
  return problem;
}

// Counts in finish: adds 1 to what the row's entry holds.
struct counting_sink {
  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  float* finished;

  using row_type = long long;
  ROWFOLD_DEVICE row_type row(long long row, int) const { return row; }
  ROWFOLD_DEVICE void finish(const row_type& row, rowfold::no_result) const {
    const float before = rowfold::load_element<rowfold::load_hint::coherent>(finished + row);
    rowfold::store_element<rowfold::store_hint::write_back>(finished + row, before + 1.0f);
  }
  void describe(rowfold::row_problem& problem) const {
    problem.add(rowfold::make_operand("finished", rowfold::operand_kind::statistic, finished));
  }
};

}  // namespace

TEST_CASE("lanes of a part: whole warps of work, or as little left idle as can be") {
  for (const int vectors : {1, 2, 4}) {
    for (int granules = 1; granules < 3000; ++granules) {
      const auto slots = [&](int lanes) { return rowfold::row_parts(granules, lanes, vectors) * lanes * vectors; };
      const int lanes = rowfold::part_lanes(granules, vectors);
      bool sound = lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0 && slots(lanes) >= granules;
      sound = sound && (lanes >= 2 || granules < 2 * vectors);
      for (int other = granules < 2 * vectors ? 1 : 2; other <= 32; other *= 2) {
        const bool few_idle = slots(lanes) <= granules + granules / 8;
        sound = sound && (few_idle || slots(other) >= slots(lanes));
        // More lanes would leave too many idle.
        if (other > lanes) sound = sound && slots(other) > granules + granules / 8 && slots(other) > slots(lanes);
      }
      if (!sound) FAIL(granules << " granules, " << vectors << " in a lane: " << lanes << " lanes");
    }
  }
  CHECK(rowfold::part_lanes(8, 4) == 2);      // 64 columns of bfloat16
  CHECK(rowfold::part_lanes(512, 4) == 32);   // 4096
  CHECK(rowfold::part_lanes(1376, 4) == 32);  // 11008
  CHECK(rowfold::part_lanes(129, 4) == 4);    // 9 parts of 16, where two of 128 would leave half of the lanes idle
}

TEST_CASE("plans of rows in parts") {
  const auto plan_of = [](std::int64_t rows, int cols, const rowfold::plan_request& request = {}) {
    return rowfold::make_row_plan(map_problem(rows, cols, 2), {}, request);
  };
  const rowfold::row_plan wide = plan_of(3, 11008);
  CHECK(wide.variant == row_variant::streamed);
  CHECK(wide.reason == plan_reason::row_is_not_folded);
  CHECK(wide.shape.lanes == 32);
  CHECK(wide.vectors == 4);
  CHECK(wide.parts == 11);  // of 1024 columns
  CHECK(wide.rows_per_block == 4);
  CHECK(wide.grid_blocks == 9);
  CHECK(wide.shared_bytes == 0);
  CHECK(wide.issued_bytes == wide.minimal_bytes);
  CHECK(rowfold::to_string(wide).find("4 parts of rows per block") != std::string::npos);

  rowfold::plan_request request;
  request.lanes = 4;
  const rowfold::row_plan narrow_parts = plan_of(3, 11008, request);
  CHECK(narrow_parts.shape_is_default);  // there is no fold whose bits could change
  CHECK(narrow_parts.parts == 86);
  request.lanes = 64;
  CHECK(plan_of(3, 11008, request).variant == row_variant::staged);
  request = {};
  request.staged = true;
  CHECK(plan_of(3, 11008, request).access == rowfold::row_access::any);

  // A sink that joins the granules of 128 columns in one warp.
  for (const int cols : {8, 72, 1032}) {
    rowfold::row_problem problem = map_problem(3, cols, 2);
    problem.joined_granules = 16;
    const rowfold::row_plan plan = rowfold::make_row_plan(problem, {});
    CHECK(plan.variant == row_variant::streamed);
    CHECK(plan.shape.lanes % 16 == 0);
  }

  // So many parts that their numbers would not fit: more lanes, or no parts.
  const std::int64_t many = std::int64_t{1} << 31;
  CHECK(plan_of(100, 8 * 129).shape.lanes == 4);
  const rowfold::row_plan raised = plan_of(many / 8, 8 * 129);
  CHECK(raised.variant == row_variant::streamed);
  CHECK(raised.shape.lanes == 8);
  CHECK(raised.parts * raised.problem.rows < many);
  CHECK(static_cast<std::int64_t>(raised.grid_blocks) * raised.rows_per_block >= raised.parts * raised.problem.rows);
  CHECK(plan_of(many, 8 * 129).variant == row_variant::staged);
  const rowfold::row_plan one_part = plan_of(many, 64);
  CHECK(one_part.variant == row_variant::streamed);
  CHECK(one_part.parts == 1);
}

TEST_CASE("a sink finishes each row once, however many parts it has", "[race][sanitize]") {
  for (const int cols : {8, 72, 264, 1024, 8192, 1023}) {
    for (const int lanes : {0, 1, 8, 32}) {
      constexpr int rows = 5;
      buffer<__nv_bfloat16> x(count(rows * cols)), y(count(rows * cols));
      buffer<float> finished(rows);
      const auto values = random_values<__nv_bfloat16>(rows, count(cols), distribution::normal);
      x.upload(values);
      finished.upload(std::vector<float>(rows, 0.0f));
      const auto layout = rowfold::row_layout::strided(cols);
      const rowfold::plain_source<__nv_bfloat16> source{x.data(), layout};
      const auto sink =
          rowfold::both(rowfold::plain_sink<__nv_bfloat16>{y.data(), layout}, counting_sink{finished.data()});
      rowfold::plan_request request;
      request.lanes = lanes;
      CAPTURE(cols, lanes);
      require_success(
          rowfold::fold_rows({rows, cols}, source, rowfold::stages(), rowfold::identity_map{}, sink, request));
      rowfold_test::sync();
      CHECK(finished.download() == std::vector<float>(rows, 1.0f));
      CHECK(to_double(y.download()) == to_double(values));
      CHECK(y.canaries_intact());
    }
  }
}

// SPDX-License-Identifier: MIT
// The plans of folds with an exponential per column: few granules per lane, whichever the width, and kernels that
// exist.
#include "rowfold/row/fold_class.hpp"

#include <cstdint>
#include <string>

#include "rowfold/launch/issued_bytes.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/launch/row_tuning.hpp"
#include "rowfold/row/stages.cuh"
#include "support/check.hpp"

using namespace rowfold;

namespace {

row_problem softmax_problem(int cols, int granule, unsigned misalignment) {
  row_problem problem;
  problem.op = "test_op";
  problem.rows = 3;
  problem.cols = cols;
  problem.granule = granule;
  problem.fold = fold_class::softmax;
  operand x;
  x.name = "x";
  x.element_bytes = 16 / granule;
  x.misalignment = misalignment;
  x.layout = row_layout::strided(cols);
  problem.add(x);
  return problem;
}

struct stage_of_a_norm {
  static constexpr bool loads_first = false;
};
struct stage_of_a_softmax {
  static constexpr bool loads_first = false;
  static constexpr fold_class shape_class = fold_class::softmax;
};

}  // namespace

TEST_CASE("the class of folds: that of a stage that says so, else by how many there are") {
  using norm = stage_of_a_norm;
  using softmax = stage_of_a_softmax;
  CHECK(detail::fold_class_of<norm>::value == fold_class::norm);
  CHECK(detail::fold_class_of<softmax>::value == fold_class::softmax);
  CHECK(stage_list<>::shape_class == fold_class::sum);
  CHECK(stage_list<norm>::shape_class == fold_class::sum);
  CHECK(stage_list<norm, norm>::shape_class == fold_class::norm);
  CHECK(stage_list<norm, norm, norm>::shape_class == fold_class::norm);
  CHECK(stage_list<softmax>::shape_class == fold_class::softmax);
  CHECK(stage_list<norm, softmax>::shape_class == fold_class::softmax);
  CHECK(stage_list<softmax, norm>::shape_class == fold_class::softmax);
  CHECK_FALSE(stage_list<norm, softmax>::loads_first);
}

TEST_CASE("softmax: lanes spelled out around their borders") {
  const auto check = [](int granules, int lanes) {
    for (const int granule : {4, 8}) {
      CAPTURE(granule, granules);
      CHECK(default_lanes(granules * granule, granule, fold_class::softmax) == lanes);
      CHECK(default_lanes(granules * granule - granule + 1, granule, fold_class::softmax) == lanes);
    }
  };
  check(1, 1);
  check(2, 1);
  check(3, 2);
  check(8, 4);
  check(9, 8);
  check(64, 32);
  check(65, 32);  // 3 or 4 granules a lane: no block for so short a row
  check(128, 32);
  check(129, 64);  // a block: 2 to 4 granules a lane
  check(256, 64);
  check(257, 96);
  check(384, 96);
  check(385, 128);
  check(640, 160);
  check(641, 192);
  check(769, 256);  // 7 warps would merge more slowly
  check(1024, 256);
  check(1025, 288);
  check(1537, 512);
  check(2048, 512);
  check(2049, 512);
  check(100000, 512);
}

TEST_CASE("softmax: rows of whole granules are held in 2 to 4 granules a lane as far as lanes go, at every width") {
  device_info device;
  device.shared_bytes_per_block = 227 * 1024;
  for (const int granule : {4, 8, 16}) {
    for (int cols = granule; cols <= 20000 * granule; cols += granule) {
      const row_plan plan = make_row_plan(softmax_problem(cols, granule, 0), device);
      const int granules = cols / granule;
      const bool fits = granules <= 4 * row_tuning::max_lanes;
      const bool sound = plan.status == plan_status::ready && plan.access == row_access::whole &&
                         plan.shape_is_default && (plan.variant == row_variant::held) == fits &&
                         plan.shape.lanes <= granules &&
                         static_cast<int>(plan.block_threads) == plan.rows_per_block * plan.shape.lanes &&
                         plan.block_threads % 32 == 0;
      if (!sound) FAIL(to_string(plan));
      if (!fits) continue;
      const int vectors = granules <= 64 ? 2 : 4;
      const bool kernel = plan.vectors == vectors && granules <= plan.vectors * plan.shape.lanes &&
                          granules >= plan.vectors / 2 * plan.shape.lanes;
      if (!kernel) FAIL(to_string(plan));
    }
  }
  SUCCEED("all of them");
}

TEST_CASE("softmax: asked for lanes that no kernel has, rows are staged") {
  device_info device;
  device.shared_bytes_per_block = 227 * 1024;
  plan_request request;
  for (const int lanes : {1, 8, 32, 64, 128}) {
    for (int granules = 1; granules <= 6 * lanes; ++granules) {
      request.lanes = lanes;
      const row_plan plan = make_row_plan(softmax_problem(granules * 8, 8, 0), device, request);
      const bool two = lanes <= 32 && granules >= lanes && granules <= 2 * lanes;
      const bool four = !two && granules >= 2 * lanes && granules <= 4 * lanes;
      CAPTURE(lanes, granules);
      CHECK((plan.variant == row_variant::held) == (two || four));
      if (plan.variant == row_variant::held) CHECK(plan.vectors == (two ? 2 : 4));
    }
  }
}

TEST_CASE(
    "inputs with a stride of 0 count once in the fewest bytes, and as often as they are read in the issued ones") {
  device_info device;
  device.shared_bytes_per_block = 227 * 1024;
  const auto minimal = [&](const row_layout& layout, std::int64_t rows) {
    row_problem problem = softmax_problem(64, 8, 0);
    problem.rows = rows;
    problem.operands[0].layout = layout;
    const row_plan plan = make_row_plan(problem, device);
    CHECK(plan.issued_bytes == rows * 64 * 2);
    return plan.minimal_bytes / (64 * 2);
  };
  CHECK(minimal(row_layout::strided(64), 10) == 10);
  CHECK(minimal(row_layout::strided(0), 10) == 1);
  CHECK(minimal(row_layout::nested(4, 64, 0), 10) == 4);
  CHECK(minimal(row_layout::nested(4, 64, 0), 3) == 3);
  CHECK(minimal(row_layout::nested(4, 0, 64), 10) == 3);
  CHECK(minimal(row_layout::nested(4, 0, 64), 3) == 1);
  CHECK(minimal(row_layout::nested(4, 0, 0), 10) == 1);
  CHECK(minimal(row_layout::nested(4, 64, 256), 10) == 10);
}

TEST_CASE("a value that each lane of a row reads is counted for each") {
  device_info device;
  row_problem problem = softmax_problem(64, 8, 0);
  const row_plan without = make_row_plan(problem, device);
  operand lengths;
  lengths.kind = operand_kind::lane_value;
  lengths.element_bytes = 4;
  lengths.misalignment = 4;  // no vectors of it are loaded
  problem.add(lengths);
  const row_plan plan = make_row_plan(problem, device);
  CHECK(plan.access == row_access::whole);
  CHECK(plan.minimal_bytes - without.minimal_bytes == 3 * 4);
  CHECK(plan.issued_bytes - without.issued_bytes == 3 * 4 * plan.shape.lanes);
}

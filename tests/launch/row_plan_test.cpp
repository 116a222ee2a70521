// SPDX-License-Identifier: MIT
// The planner of row ops as a function of values: no kernel runs here. Every reason that a plan can give is met by a
// problem; lanes, granules and kernels fit each other for every width; a plan depends on nothing but its arguments.
#include <cstdint>
#include <limits>
#include <string>

#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "support/check.hpp"

using namespace rowfold;

namespace {

constexpr device_info no_device{};

operand tensor(const char* name, operand_kind kind, int element_bytes, int cols) {
  operand o;
  o.name = name;
  o.kind = kind;
  o.element_bytes = element_bytes;
  o.layout = row_layout{}.resolved(cols);
  return o;
}

// An op with one input, one parameter, one output and one statistic, all of one element size.
row_problem make_problem(std::int64_t rows, int cols, int element_bytes = 2) {
  row_problem problem;
  problem.op = "test_op";
  problem.rows = rows;
  problem.cols = cols;
  problem.granule = 16 / element_bytes;
  problem.accumulate_bytes = element_bytes == 8 ? 8 : 4;
  problem.fold_passes = 1;
  problem.add(tensor("x", operand_kind::input, element_bytes, cols));
  problem.add(tensor("gamma", operand_kind::parameter, element_bytes, cols));
  problem.add(tensor("y", operand_kind::output, element_bytes, cols));
  problem.add(tensor("mean", operand_kind::statistic, 4, cols));
  return problem;
}

row_problem packed_and_aligned(row_problem problem) {
  for (operand& o : problem.operands) {
    o.misalignment = 0;
    o.layout = row_layout{}.resolved(problem.cols);
  }
  return problem;
}

row_plan plan_of(const row_problem& problem, const plan_request& request = {}) {
  return make_row_plan(problem, no_device, request);
}

void expect_refused(const row_problem& problem, plan_reason reason, const std::string& operand_name = "",
                    const plan_request& request = {}) {
  const row_plan plan = plan_of(problem, request);
  INFO(to_string(plan));
  CHECK(plan.status == plan_status::refused);
  CHECK(plan.reason == reason);
  CHECK(plan.operand == operand_name);
  CHECK(plan.problem == problem);
  CHECK(to_label(plan) == std::string("refused: ") + to_text(reason));
  const std::string named = operand_name.empty() ? "" : operand_name + ": ";
  CHECK(to_string(plan).find("  refused: " + named + to_text(reason) + "\n") != std::string::npos);
}

// The plan is made with access `any`, for this reason and this tensor; asked to vectorise it is refused for the same.
void expect_any(const row_problem& problem, plan_reason reason, const std::string& operand_name) {
  const row_plan plan = plan_of(problem);
  INFO(to_string(plan));
  CHECK(plan.status == plan_status::ready);
  CHECK(plan.access == row_access::any);
  CHECK(plan.access_reason == reason);
  CHECK(plan.operand == operand_name);
  CHECK(plan.shape == plan_of(packed_and_aligned(problem)).shape);
  CHECK(plan.shape_is_default);
  const std::string named = operand_name.empty() ? "" : operand_name + ": ";
  CHECK(to_string(plan).find("any address: " + named + to_text(reason) + "\n") != std::string::npos);
  plan_request strict;
  strict.require_vectorized = true;
  expect_refused(problem, reason, operand_name, strict);
}

}  // namespace

TEST_CASE("a problem with a fault is refused for it") {
  row_problem problem = make_problem(4, 64);
  const problem_fault faults[] = {problem_fault::bad_eps, problem_fault::null_pointer,
                                  problem_fault::too_many_operands};
  const plan_reason reasons[] = {plan_reason::refused_eps, plan_reason::refused_null_pointer,
                                 plan_reason::refused_too_many_operands};
  for (int i = 0; i < 3; ++i) {
    problem.fault = faults[i];
    expect_refused(problem, reasons[i]);
  }
}

TEST_CASE("a problem holds as many operands as it can, and then says so") {
  row_problem problem = make_problem(4, 64);
  while (problem.operand_count < row_problem::max_operands) problem.add(tensor("more", operand_kind::input, 2, 64));
  CHECK(plan_of(problem).status == plan_status::ready);
  problem.add(tensor("one too many", operand_kind::input, 2, 64));
  CHECK(problem.operand_count == row_problem::max_operands);
  expect_refused(problem, plan_reason::refused_too_many_operands);
}

TEST_CASE("null tensors are a fault only where there is something to read or write") {
  for (const std::int64_t rows : {0, 3}) {
    for (const int cols : {0, 3}) {
      row_problem problem = make_problem(rows, cols);
      problem.require(&problem);
      CHECK(problem.fault == problem_fault::none);
      problem.require(nullptr);
      CHECK((problem.fault == problem_fault::null_pointer) == (rows > 0 && cols > 0));
    }
  }
}

TEST_CASE("nothing to do is a plan without a launch") {
  const row_plan no_rows = plan_of(make_problem(0, 64));
  CHECK(no_rows.status == plan_status::nothing);
  CHECK(to_label(no_rows) == "nothing: there are no rows");
  const row_plan no_columns = plan_of(make_problem(5, 0));
  CHECK(no_columns.status == plan_status::nothing);
  CHECK(to_label(no_columns) == "nothing: there are no columns");
  CHECK(to_string(no_columns) == "test_op of 5 rows x 0 columns\n  nothing to launch: there are no columns\n");
  CHECK(to_label(row_plan{}) == "unset");
  CHECK(to_string(row_plan{}).find("no plan has been made") != std::string::npos);
}

TEST_CASE("numbers of rows and columns have limits, at which the plan is still sound") {
  constexpr std::int64_t most_blocks = row_tuning::max_grid_blocks;
  expect_refused(make_problem(-1, 64), plan_reason::refused_rows);
  expect_refused(make_problem(std::numeric_limits<std::int64_t>::min(), -1), plan_reason::refused_rows);
  expect_refused(make_problem(4, -1), plan_reason::refused_cols);
  expect_refused(make_problem(0, std::numeric_limits<int>::min()), plan_reason::refused_cols);
  row_problem problem = make_problem(1, row_tuning::max_cols);
  CHECK(plan_of(problem).status == plan_status::ready);
  CHECK(plan_of(problem).issued_bytes > 0);
  problem.cols = row_tuning::max_cols + 1;
  expect_refused(problem, plan_reason::refused_cols);
  problem.cols = std::numeric_limits<int>::max();
  expect_refused(problem, plan_reason::refused_cols);

  // Elements: 2^52, whatever their shape.
  problem = make_problem(std::int64_t{1} << 22, 1 << 30);
  CHECK(plan_of(problem).status == plan_status::ready);
  CHECK(plan_of(problem).minimal_bytes > std::int64_t{1} << 53);
  problem.rows += 1;
  expect_refused(problem, plan_reason::refused_too_many_rows);
  problem.rows = std::numeric_limits<std::int64_t>::max();
  expect_refused(problem, plan_reason::refused_too_many_rows);

  // Blocks: one row each, and several.
  problem = make_problem(most_blocks, 4096);
  CHECK(plan_of(problem).grid_blocks == most_blocks);
  problem.rows += 1;
  expect_refused(problem, plan_reason::refused_too_many_rows);
  problem = make_problem(1, 1);
  const int rows_per_block = plan_of(problem).rows_per_block;
  CHECK(rows_per_block > 1);
  problem.rows = most_blocks * rows_per_block;
  CHECK(plan_of(problem).grid_blocks == most_blocks);
  problem.rows += 1;
  expect_refused(problem, plan_reason::refused_too_many_rows);
}

TEST_CASE("access is whole unless something is not: the first tensor that is not is named") {
  const row_problem aligned = make_problem(10, 64);
  CHECK(plan_of(aligned).access == row_access::whole);
  CHECK(plan_of(aligned).access_reason == plan_reason::none);
  for (int i = 0; i < 3; ++i) {
    const char* const name = aligned.operands[i].name;
    for (unsigned bytes = 2; bytes < 16; bytes += 2) {
      row_problem problem = aligned;
      problem.operands[i].misalignment = bytes;
      expect_any(problem, plan_reason::refused_misaligned_pointer, name);
    }
    if (aligned.operands[i].kind == operand_kind::parameter) continue;  // one row
    for (const long long stride : {65LL, 68LL, 71LL, -60LL, std::numeric_limits<long long>::max()}) {
      row_problem problem = aligned;
      problem.operands[i].layout = row_layout::strided(stride);
      expect_any(problem, plan_reason::refused_misaligned_stride, name);
      problem.operands[i].layout = row_layout::nested(2, 64, stride);
      expect_any(problem, plan_reason::refused_misaligned_stride, name);
      problem.operands[i].layout = row_layout::nested(2, stride, 640);
      expect_any(problem, plan_reason::refused_misaligned_stride, name);
    }
    for (const long long stride : {72LL, 0LL, -64LL}) {
      row_problem problem = aligned;
      problem.operands[i].layout = row_layout::nested(2, stride, -stride);
      CHECK(plan_of(problem).access == row_access::whole);
    }
  }
  row_problem problem = aligned;
  problem.operands[3].misalignment = 4;  // statistics move one by one
  CHECK(plan_of(problem).access == row_access::whole);
  problem.operands[2].misalignment = 2;
  problem.operands[1].misalignment = 2;
  expect_any(problem, plan_reason::refused_misaligned_pointer, "gamma");

  problem = make_problem(10, 63);
  for (int i = 0; i < 4; ++i) problem.operands[i].layout = row_layout::strided(64);
  expect_any(problem, plan_reason::refused_partial_granule, "");

  // A tensor whose granules are smaller than 16 bytes needs less: bytes beside a float input, four to a granule.
  problem = make_problem(10, 64, 4);
  problem.operands[2].element_bytes = 1;
  problem.operands[2].misalignment = 4;
  CHECK(plan_of(problem).access == row_access::whole);
  problem.operands[2].misalignment = 2;
  expect_any(problem, plan_reason::refused_misaligned_pointer, "y");
}

TEST_CASE("layouts whose rows cannot be found are refused") {
  for (int i = 0; i < 4; ++i) {
    row_problem problem = make_problem(1ll << 40, 64);
    const std::string name = problem.operands[i].name;
    problem.operands[i].layout.inner = -1;
    expect_refused(problem, plan_reason::refused_layout, name);
    problem.operands[i].layout = row_layout::nested(1ll << 24, 64, 64);
    expect_refused(problem, plan_reason::refused_layout, name);
    problem.operands[i].layout = row_layout::nested((1ll << 23) - 1, 64, 64ll << 23);
    CHECK(plan_of(problem).reason != plan_reason::refused_layout);
  }
}

TEST_CASE("the reason of a variant") {
  CHECK(plan_of(make_problem(10, 64)).reason == plan_reason::row_fits_registers);
  CHECK(plan_of(make_problem(10, 20488)).reason == plan_reason::row_too_wide_for_registers);
  row_problem norm = make_problem(10, 16400);
  norm.fold_passes = 2;
  CHECK(plan_of(norm).reason == plan_reason::row_too_wide_for_registers);
  CHECK(plan_of(make_problem(10, 20488)).variant == row_variant::staged);
  CHECK(plan_of(make_problem(10, 20488)).stage_columns == 20488);
  CHECK(plan_of(make_problem(10, 1 << 20)).reason == plan_reason::row_too_wide_for_shared_memory);
  CHECK(plan_of(make_problem(10, 1 << 20)).variant == row_variant::reread);
  CHECK(plan_of(make_problem(10, 64, 8)).reason == plan_reason::double_has_one_variant);
  CHECK(plan_of(make_problem(10, 64, 8)).variant == row_variant::staged);
  row_problem with_null = make_problem(10, 64);
  with_null.has_null_parameter = true;
  CHECK(plan_of(with_null).reason == plan_reason::parameter_is_null);
  CHECK(plan_of(with_null).variant == row_variant::staged);
  CHECK(plan_of(with_null).access_reason == plan_reason::parameter_is_null);
  plan_request request;
  request.staged = true;
  CHECK(plan_of(make_problem(10, 64), request).reason == plan_reason::asked_for);
  CHECK(plan_of(make_problem(10, 64), request).variant == row_variant::staged);
  CHECK(plan_of(make_problem(10, 64), request).access == row_access::whole);
  request = {};
  request.reread = true;
  CHECK(plan_of(make_problem(10, 64), request).reason == plan_reason::asked_for);
  CHECK(plan_of(make_problem(10, 64), request).variant == row_variant::reread);
  CHECK(plan_of(make_problem(10, 64), request).stage_columns == 32);  // two parts of one granule a lane
  CHECK(plan_of(make_problem(10, 64), request).shape_is_default);
  CHECK(plan_of(make_problem(10, 32), request).variant == row_variant::staged);  // one part is all of the row
  request = {};
  request.any_access = true;
  CHECK(plan_of(make_problem(10, 64), request).access == row_access::any);
  CHECK(plan_of(make_problem(10, 64), request).access_reason == plan_reason::asked_for);
  request.require_vectorized = true;
  expect_refused(make_problem(10, 64), plan_reason::asked_for, "", request);
}

TEST_CASE("shared memory: what a row takes, what a device has") {
  row_problem problem = make_problem(10, 20481);  // of 512 lanes
  device_info device;
  device.shared_bytes_per_block = 64 * 1024;
  row_plan plan = make_row_plan(problem, device);
  CHECK(plan.variant == row_variant::staged);
  CHECK(plan.stage_columns == 20488);
  // The group's storage, a granule of y for each thread, the row and a word more in multiples of 16.
  CHECK(plan.shared_bytes == 1024 + 512 * 16 + 20488 * 2 + 16);
  // Two inputs: two rows.
  problem.add(tensor("residual", operand_kind::input, 4, 20481));
  plan = make_row_plan(problem, device);
  CHECK(plan.variant == row_variant::reread);
  CHECK(plan.reason == plan_reason::row_too_wide_for_shared_memory);
  CHECK(plan.stage_columns == 2 * 4096);  // two steps of all lanes are as much as fits
  CHECK(plan.shared_bytes == 1024 + 512 * 16 + (8192 * 2 + 16) + (8192 * 4 + 16));
  device.shared_bytes_per_block = 128 * 1024 + 1024 + 512 * 16 + 32;
  CHECK(make_row_plan(problem, device).variant == row_variant::staged);
  // Less than one step fits: nothing can run.
  device.shared_bytes_per_block = 1024 + 512 * 16 + 4096 * 6;
  CHECK(make_row_plan(problem, device).status == plan_status::refused);
  // Rows that share a block each have their own part.
  plan = make_row_plan(make_problem(10, 63), device_info{});
  CHECK(plan.variant == row_variant::staged);
  CHECK(plan.rows_per_block == 32);
  CHECK(plan.shared_bytes == 1024u + 128 * 16 + 32 * (64 * 2 + 16));
}

TEST_CASE("lanes on request: which are possible, what they change, and what becomes of the access") {
  const row_problem problem = make_problem(1000, 256);  // 32 granules
  const row_plan by_default = plan_of(problem);
  for (int lanes = -1; lanes <= 1025; ++lanes) {
    plan_request request;
    request.lanes = lanes;
    const row_plan plan = plan_of(problem, request);
    const bool part_of_warp = lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16 || lanes == 32;
    const bool block = lanes > 32 && lanes <= 512 && lanes % 32 == 0;
    CAPTURE(lanes);
    if (lanes == 0) {
      CHECK(plan == by_default);
    } else if (!part_of_warp && !block) {
      CHECK(plan.status == plan_status::refused);
      CHECK(plan.reason == plan_reason::refused_request);
    } else {
      CHECK(plan.status == plan_status::ready);
      CHECK(plan.shape.lanes == lanes);
      CHECK(plan.shape_is_default == (lanes == by_default.shape.lanes));
      CHECK((to_string(plan).find("changed by the caller") == std::string::npos) == plan.shape_is_default);
      CHECK(plan.block_threads == (block ? static_cast<unsigned>(lanes) : plan.block_threads));
      CHECK(plan.rows_per_block * lanes == static_cast<int>(plan.block_threads));
      CHECK((plan.variant == row_variant::held) == (32 <= 4 * lanes && lanes <= 32));
    }
  }
  // A block's kernel holds 2 to 4 granules a lane, and 32 granules do not fill one of 64 lanes.
  plan_request request;
  request.lanes = 64;
  const row_plan plan = plan_of(problem, request);
  CHECK(plan.access == row_access::whole);
  CHECK(plan.variant == row_variant::staged);
  CHECK(plan.reason == plan_reason::no_kernel_for_whole_granules);
  CHECK(to_string(plan).find("no kernel for whole granules") != std::string::npos);
  request.require_vectorized = true;  // every granule is still one aligned access
  CHECK(plan_of(problem, request) == plan);
}

TEST_CASE("threads on request: of blocks with several rows") {
  for (int threads = -32; threads <= 1056; threads += 16) {
    plan_request request;
    request.block_threads = threads;
    const row_plan plan = plan_of(make_problem(1000, 256), request);
    const row_plan wide = plan_of(make_problem(1000, 4096), request);
    CAPTURE(threads);
    if (threads == 0) {
      CHECK(plan == plan_of(make_problem(1000, 256)));
    } else if (threads < 32 || threads > row_tuning::max_lanes || threads % 32 != 0) {
      CHECK(plan.reason == plan_reason::refused_request);
    } else {
      CHECK(plan.block_threads == static_cast<unsigned>(threads));
      CHECK(plan.rows_per_block == threads / plan.shape.lanes);
      CHECK(plan.grid_blocks == static_cast<unsigned>((1000 + plan.rows_per_block - 1) / plan.rows_per_block));
      CHECK(plan.shape_is_default);
      CHECK(wide == plan_of(make_problem(1000, 4096)));
    }
  }
}

TEST_CASE("rows that are read into registers leave L2 last in calls that it cannot hold") {
  row_problem problem = make_problem(1000, 256);
  problem.stores_rows = true;
  const std::int64_t bytes = plan_of(problem).minimal_bytes;
  CHECK(bytes == 2 * 1000 * 256 * 2 + 256 * 2 + 1000 * 4);
  device_info device;
  device.compute_major = 8;
  const auto priority = [&device](const row_problem& p, std::int64_t l2_bytes, const plan_request& request = {}) {
    device.l2_bytes = static_cast<int>(l2_bytes);
    const row_plan plan =
        p.spaced_columns ? make_row_plan<true>(p, device, request) : make_row_plan(p, device, request);
    CHECK(plan.status == plan_status::ready);
    const bool last = plan.input_priority == l2_priority::evict_last;
    CHECK((to_string(plan).find("L2: lines of what is read leave last") != std::string::npos) == last);
    CHECK((to_label(plan).find(", evict_last") != std::string::npos) == last);
    return plan.input_priority;
  };
  CHECK(priority(problem, bytes) == l2_priority::normal);
  CHECK(priority(problem, bytes - 1) == l2_priority::evict_last);
  CHECK(priority(problem, 0) == l2_priority::normal);  // not known
  plan_request request;
  request.staged = true;
  CHECK(priority(problem, 1, request) == l2_priority::normal);
  request = {};
  request.any_access = true;
  CHECK(priority(problem, 1, request) == l2_priority::normal);
  request = {};
  request.normal_priority = true;
  CHECK(priority(problem, 1, request) == l2_priority::normal);
  row_problem folded = problem;  // no rows are stored
  folded.stores_rows = false;
  CHECK(priority(folded, 1) == l2_priority::normal);
  row_problem mapped = problem;  // in parts, of which nothing is folded
  mapped.fold_passes = 0;
  CHECK(make_row_plan(mapped, device).variant == row_variant::streamed);
  CHECK(priority(mapped, 1) == l2_priority::evict_last);
  row_problem spaced = problem;
  spaced.spaced_columns = true;
  CHECK(make_row_plan<true>(spaced, device).variant == row_variant::held);
  CHECK(priority(spaced, 1) == l2_priority::normal);
  device.compute_major = 7;  // without priorities
  CHECK(priority(problem, 1) == l2_priority::normal);

  device.compute_major = 8;
  row_plan changed = make_row_plan(problem, device);
  CHECK(changed != plan_of(problem));
  changed.input_priority = l2_priority::normal;
  CHECK(changed == plan_of(problem));
}

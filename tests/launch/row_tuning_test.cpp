// SPDX-License-Identifier: MIT
// Properties of the planner over all widths: the kernel that a plan names can hold the row, is one of those that are
// instantiated, and a plan is a value: equal arguments give equal plans, and each part of it takes part in a
// comparison.
#include "rowfold/launch/row_tuning.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/launch/row_kernels.hpp"
#include "support/check.hpp"

using namespace rowfold;

namespace {

row_problem packed_problem(std::int64_t rows, int cols, int granule, unsigned misalignment) {
  row_problem problem;
  problem.op = "test_op";
  problem.rows = rows;
  problem.cols = cols;
  problem.granule = granule;
  problem.accumulate_bytes = granule == 2 ? 8 : 4;
  problem.fold_passes = 2;
  operand x;
  x.name = "x";
  x.element_bytes = 16 / granule;
  x.misalignment = misalignment;
  x.layout = row_layout::strided((cols + granule - 1) / granule * granule);
  problem.add(x);
  return problem;
}

bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

// What is wrong with a plan, or nothing.
std::string fault_of(const row_plan& plan, bool aligned) {
  const int granules = detail::ceil_div(plan.problem.cols, plan.problem.granule);
  const int lanes = plan.shape.lanes;
  const std::int64_t batch = static_cast<std::int64_t>(plan.vectors) * lanes;
  if (plan.status != plan_status::ready) return "no plan";
  if (lanes > row_tuning::max_lanes || lanes > granules) return "lanes";
  if (lanes > 32 ? lanes % 32 != 0 || !detail::merges_directly(lanes / 32) : !is_power_of_two(lanes)) return "lanes";
  if (lanes != default_lanes(plan.problem.cols, plan.problem.granule)) return "not the default shape";
  if (plan.variant == row_variant::held && batch < granules) return "the row does not fit";
  if (plan.variant == row_variant::held && plan.access != row_access::whole) return "no such kernel";
  if (plan.variant == row_variant::staged && plan.stage_columns < plan.problem.cols) return "the stage is too small";
  if (plan.variant == row_variant::reread && plan.stage_columns % (lanes * plan.problem.granule) != 0) return "parts";
  // The kernels for whole granules take for granted that every lane has all of its granules but one or two.
  const bool few = lanes > 32 || plan.problem.granule == 4;  // as packed_problem is a norm
  const int spare = plan.vectors == 4 && few ? 2 : 1;
  if (plan.variant == row_variant::held && batch - spare * lanes > granules) return "gaps";
  if (plan.variant == row_variant::held && plan.vectors > (lanes > 32 ? 4 : 5)) return "no such kernel";
  const bool whole = aligned && plan.problem.cols % plan.problem.granule == 0 && plan.problem.accumulate_bytes == 4;
  if ((plan.access == row_access::whole) != whole) return "access";
  if (static_cast<int>(plan.block_threads) != plan.rows_per_block * lanes || plan.block_threads % 32 != 0)
    return "block";
  const unsigned storage = plan.variant != row_variant::held || lanes > 32 ? row_tuning::group_shared_bytes : 0;
  if (plan.variant == row_variant::held ? plan.shared_bytes != storage : plan.shared_bytes <= storage) {
    return "shared memory";
  }
  if (plan.shared_bytes > 227 * 1024) return "too much shared memory";
  if ((lanes > 32) != (plan.rows_per_block == 1)) return "rows per block";
  return "";
}

}  // namespace

TEST_CASE("for every width, the kernel of the plan can hold the row, aligned rows have a kernel for whole granules") {
  device_info device;
  device.shared_bytes_per_block = 227 * 1024;
  for (const int granule : {2, 4, 8, 16}) {
    for (const int element : {0, 1}) {  // of a vector, at which rows begin
      const unsigned misalignment = static_cast<unsigned>(element * 16 / granule);
      std::set<std::tuple<bool, row_access, bool, int>> kernels;
      for (int cols = 1; cols <= 200000; ++cols) {
        const row_plan plan = make_row_plan(packed_problem(3, cols, granule, misalignment), device);
        const std::string fault = fault_of(plan, misalignment == 0);
        if (!fault.empty()) FAIL(fault << ": granule " << granule << ", " << to_string(plan));
        const bool held = plan.variant == row_variant::held;
        kernels.insert({held, plan.access, held && plan.shape.lanes > 32, plan.vectors});
      }
      // Whole granules: 2 to 5 in part of a warp, or 2 and 4 of wide elements, 4 in a block, or staged. Any address,
      // also for the last partial granule of aligned rows: staged. Double: one.
      CAPTURE(granule, misalignment);
      CHECK(kernels.size() == (granule == 2 || misalignment != 0 ? 1u : granule == 4 ? 5u : 7u));
    }
  }
}

TEST_CASE("default_lanes: spelled out around its borders") {
  const auto check = [](int granule, int granules, int lanes) {
    CAPTURE(granule, granules);
    CHECK(default_lanes(granules * granule, granule) == lanes);
    CHECK(default_lanes(granules * granule - granule + 1, granule) == lanes);  // a partial granule counts
  };
  for (const int granule : {4, 8}) {
    check(granule, 1, 1);
    check(granule, 2, 2);
    check(granule, 3, 2);
    check(granule, 4, 4);
    check(granule, 5, 4);
  }
  check(8, 20, 4);  // 5 granules a lane
  check(8, 21, 8);
  check(8, 160, 32);
  check(8, 161, 64);
  check(8, 256, 64);
  check(8, 257, 96);
  check(8, 512, 128);
  check(8, 640, 160);
  check(8, 768, 192);
  check(8, 769, 256);  // 7 warps would merge more slowly
  check(8, 1024, 256);
  check(8, 1280, 320);
  check(8, 1281, 384);
  check(8, 1537, 512);
  check(8, 2048, 512);
  check(8, 2049, 512);
  check(8, 1000000, 512);
  check(4, 8, 4);  // 2 granules a lane while that fits in a warp
  check(4, 9, 8);
  check(4, 64, 32);
  check(4, 65, 32);
  check(4, 128, 32);
  check(4, 129, 64);
}

TEST_CASE("default_lanes of one fold: 4 granules a lane at most") {
  for (const int granule : {4, 8}) {
    for (int granules = 1; granules <= 3000; ++granules) {
      const int lanes = default_lanes(granules * granule, granule, fold_class::sum);
      CAPTURE(granule, granules, lanes);
      if (granules <= 2048) CHECK(4 * lanes >= granules);
      if (granules > 2048) CHECK(lanes == 512);
      CHECK(lanes <= granules);
    }
  }
  CHECK(default_lanes(640, 8, fold_class::sum) == 32);
  CHECK(default_lanes(1280, 8, fold_class::sum) == 64);
  CHECK(default_lanes(640, 8) == 16);
}

TEST_CASE("held_kernel_vectors: no lane lacks more granules than its kernel expects") {
  CHECK(held_kernel_vectors(7 * 32 * 4, 7 * 32, 8, fold_class::norm) == 0);  // no kernel merges 7 warps
  CHECK(held_kernel_vectors(96, 24, 8, fold_class::norm) == 0);              // part of a warp that is no power of two
  for (const fold_class fold : {fold_class::sum, fold_class::norm, fold_class::softmax}) {
    for (const int granule : {4, 8}) {
      const bool few = granule == 4 || fold == fold_class::softmax;
      for (const int lanes : {1, 2, 4, 8, 16, 32, 64, 96, 128, 160, 192, 256, 288, 320, 384, 512}) {
        for (int granules = 1; granules <= 6 * lanes; ++granules) {
          const int vectors = held_kernel_vectors(granules, lanes, granule, fold);
          int expected = 0, spare = 1;
          if (lanes > 32 || few) {
            expected = lanes <= 32 && granules <= 2 * lanes ? 2 : 4;
            spare = expected == 4 ? 2 : 1;
          } else if (fold == fold_class::sum) {
            expected = granules <= 3 * lanes ? 3 : 4;
            spare = expected == 3 ? 2 : 1;
          } else {
            expected = granules <= lanes ? 2 : detail::ceil_div(granules, lanes);
          }
          if (lanes == 4 && granules == 8 && granule == 8) expected = 2;  // the kernel for 4 lanes
          const int most = !few && lanes <= 32 && fold == fold_class::norm ? 5 : 4;
          if (expected > most || granules > expected * lanes || granules < (expected - spare) * lanes) expected = 0;
          if (vectors != expected) FAIL(lanes << " lanes, " << granules << " granules: " << vectors);
        }
      }
    }
  }
}

TEST_CASE("a plan depends on its arguments alone") {
  const row_problem problem = packed_problem(1000, 768, 8, 0);
  const row_plan plan = make_row_plan(problem, device_info{});
  CHECK(plan == make_row_plan(problem, device_info{}));
  device_info other;
  other.multiprocessors = 7;
  CHECK(plan == make_row_plan(problem, other));  // no SM count: bits must not depend on it
  // Rows and addresses do not change the fold shape.
  for (const std::int64_t rows : {1, 7, 100000}) {
    for (const unsigned misalignment : {0u, 2u, 8u}) {
      const row_plan another = make_row_plan(packed_problem(rows, 768, 8, misalignment), device_info{});
      CHECK(another.shape == plan.shape);
      CHECK((another == plan) == false);
    }
  }
}

TEST_CASE("plans, problems and requests differ if one part differs") {
  const row_plan plan = make_row_plan(packed_problem(1000, 768, 8, 0), device_info{});
  const auto differs = [&](auto change) {
    row_plan changed = plan;
    change(changed);
    CHECK(changed != plan);
    CHECK_FALSE(changed == plan);
  };
  differs([](row_plan& p) { p.status = plan_status::refused; });
  differs([](row_plan& p) { p.reason = plan_reason::asked_for; });
  differs([](row_plan& p) { p.variant = row_variant::reread; });
  differs([](row_plan& p) { p.access = row_access::any; });
  differs([](row_plan& p) { p.access_reason = plan_reason::asked_for; });
  differs([](row_plan& p) { p.shape.granule += 1; });
  differs([](row_plan& p) { p.shape.lanes += 1; });
  differs([](row_plan& p) { p.shape_is_default = false; });
  differs([](row_plan& p) { p.vectors += 1; });
  differs([](row_plan& p) { p.early_parameters = !p.early_parameters; });
  differs([](row_plan& p) { p.input_priority = l2_priority::evict_last; });
  differs([](row_plan& p) { p.stage_columns += 1; });
  differs([](row_plan& p) { p.rows_per_block += 1; });
  differs([](row_plan& p) { p.block_threads += 1; });
  differs([](row_plan& p) { p.grid_blocks += 1; });
  differs([](row_plan& p) { p.shared_bytes += 1; });
  differs([](row_plan& p) { p.minimal_bytes += 1; });
  differs([](row_plan& p) { p.issued_bytes += 1; });
  differs([](row_plan& p) { p.problem.op = "another_op"; });
  differs([](row_plan& p) { p.problem.rows += 1; });
  differs([](row_plan& p) { p.problem.cols += 1; });
  differs([](row_plan& p) { p.problem.granule += 1; });
  differs([](row_plan& p) { p.problem.accumulate_bytes = 8; });
  differs([](row_plan& p) { p.problem.fold = fold_class::softmax; });
  differs([](row_plan& p) { p.problem.fold_passes += 1; });
  differs([](row_plan& p) { p.problem.stores_rows = !p.problem.stores_rows; });
  differs([](row_plan& p) { p.problem.has_null_parameter = !p.problem.has_null_parameter; });
  differs([](row_plan& p) { p.problem.operands[0].elements_per_column = 2; });
  differs([](row_plan& p) { p.problem.operands[0].vectors = 2; });
  differs([](row_plan& p) { p.problem.loads_first = !p.problem.loads_first; });
  differs([](row_plan& p) { p.problem.fault = problem_fault::bad_eps; });
  differs([](row_plan& p) { p.problem.operand_count = 0; });
  differs([](row_plan& p) { p.problem.operands[0].kind = operand_kind::output; });
  differs([](row_plan& p) { p.problem.operands[0].element_bytes = 4; });
  differs([](row_plan& p) { p.problem.operands[0].in_every_pass = true; });
  differs([](row_plan& p) { p.problem.operands[0].misalignment = 1; });
  differs([](row_plan& p) { p.problem.operands[0].layout.outer_stride = 1; });
  row_plan same = plan;
  const char op[] = "test_op";  // equal text at another address
  same.problem.op = op;
  CHECK(same == plan);

  CHECK(plan_request{} == plan_request{});
  for (int i = 0; i < 8; ++i) {
    plan_request request;
    if (i == 7) request.late_parameters = true;
    if (i == 6) request.staged = true;
    if (i == 0) request.lanes = 1;
    if (i == 1) request.block_threads = 32;
    if (i == 2) request.reread = true;
    if (i == 3) request.any_access = true;
    if (i == 4) request.require_vectorized = true;
    if (i == 5) request.programmatic = true;
    CHECK(request != plan_request{});
  }
}

TEST_CASE("row layouts: where rows start") {
  CHECK(row_layout{}.resolved(7).offset(3) == 21);
  CHECK(row_layout::strided(-5).resolved(7).offset(3) == -15);
  const row_layout nested = row_layout::nested(3, 10, 1000);
  CHECK(nested.offset(0) == 0);
  CHECK(nested.offset(2) == 20);
  CHECK(nested.offset(3) == 1000);
  CHECK(nested.offset(8) == 2020);
  CHECK(row_layout::nested(3, row_layout::packed, 1000).resolved(7).offset(4) == 1007);
  // Beyond 32 bits, in rows and in elements.
  const long long many = 1ll << 33;
  CHECK(nested.offset(3 * many + 1) == 1000 * many + 10);
  CHECK(row_layout::nested(many, 3, 7).offset(many + 5) == 7 + 15);
  CHECK(row_layout::strided(1 << 20).offset(many) == many << 20);
  CHECK(row_layout::nested(1, 0, 4000000000ll).offset(4) == 16000000000ll);
  CHECK(nested == row_layout::nested(3, 10, 1000));
  CHECK(nested != row_layout::nested(3, 10, 1001));
}

TEST_CASE("every reason has a text of its own") {
  std::set<std::string> texts;
  constexpr int last = static_cast<int>(plan_reason::refused_plan_of_another_problem);
  for (int reason = 0; reason <= last; ++reason) texts.insert(to_text(static_cast<plan_reason>(reason)));
  CHECK(texts.size() == static_cast<std::size_t>(last) + 1);
  CHECK(texts.count("unknown") == 0);
}

TEST_CASE("a plan in full and in one line") {
  row_problem problem = packed_problem(1000, 768, 8, 0);
  const row_plan plan = make_row_plan(problem, device_info{});
  CHECK(to_label(plan) == "held/whole 32 lanes x 3, 128 threads, 250 blocks");
  CHECK(to_string(plan) ==
        "test_op of 1000 rows x 768 columns\n"
        "  variant: rows held in registers: the row fits in the registers of its lanes\n"
        "  access: 16-byte vectors: every granule of every tensor is aligned and complete\n"
        "  fold shape: granules of 8 columns, 32 lanes, up to 3 granules per lane\n"
        "  launch: 250 blocks of 128 threads, 4 rows per block, 0 bytes of shared memory\n"
        "  bytes: 1536000 at least, 1536000 issued\n");
  problem.operands[0].misalignment = 2;
  plan_request request;
  request.reread = true;
  const row_plan other = make_row_plan(problem, device_info{}, request);
  CHECK(to_label(other) == "reread/any 32 lanes, 128 threads, 250 blocks");
  CHECK(to_string(other).find(
            "  variant: rows read again in each pass, 256 columns at a time: asked for by the caller\n"
            "  access: any address: x: its address is not a multiple of 16 bytes\n") != std::string::npos);
}

TEST_CASE("check_row_plan lets a plan through for its own problem alone") {
  const row_problem problem = packed_problem(1000, 768, 8, 0);
  const row_plan plan = make_row_plan(problem, device_info{});
  CHECK(check_row_plan(plan, problem) == plan);
  const row_problem others[] = {packed_problem(1001, 768, 8, 0), packed_problem(1000, 776, 8, 0),
                                packed_problem(1000, 768, 4, 0), packed_problem(1000, 768, 8, 2)};
  for (const row_problem& other : others) {
    const row_plan checked = check_row_plan(plan, other);
    CHECK(checked.status == plan_status::refused);
    CHECK(checked.reason == plan_reason::refused_plan_of_another_problem);
    CHECK(checked.problem == other);
  }
  const row_plan refused = make_row_plan(packed_problem(-1, 768, 8, 0), device_info{});
  CHECK(check_row_plan(refused, problem).reason == refused.reason);
}

TEST_CASE("blocks of several rows move enough bytes to be worth their launch") {
  for (const int cols : {256, 512, 640, 1024}) {
    row_problem problem = packed_problem(1000, cols, 8, 0);
    for (const int results : {0, 1, 2, 4, 8}) {  // bytes of a column, beside the 2 that are read
      row_problem with_results = problem;
      if (results > 0) with_results.add(make_operand("y", operand_kind::output, static_cast<const char*>(nullptr)));
      if (results > 0) with_results.operands[with_results.operand_count - 1].element_bytes = results;
      const row_plan plan = make_row_plan(with_results, device_info{});
      const int rows_of_64 = 64 / plan.shape.lanes;
      CAPTURE(cols, results, to_label(plan));
      REQUIRE(plan.vectors > 2);
      CHECK(plan.block_threads == ((2 + results) * cols * rows_of_64 < 5 * 1024 ? 128u : 64u));
    }
  }
}

TEST_CASE("blocks that keep what the map makes ask early for one parameter of narrow elements, and in small calls") {
  alignas(16) static const float address[4] = {};  // a plan needs an address only
  for (const int granule : {8, 4}) {
    const int cols = 1024 * granule;
    const std::int64_t most = 4 * 1024 * 1024 / (16 * 1024);
    for (const bool maps_in_fold : {false, true}) {
      for (const std::int64_t rows : {most, most + 1}) {
        row_problem problem = packed_problem(rows, cols, granule, 0);
        problem.maps_in_fold = maps_in_fold;
        if (granule == 8) problem.add_parameter("p", reinterpret_cast<const short*>(address));
        if (granule == 4) problem.add_parameter("p", address);
        const row_plan plan = make_row_plan(problem, device_info{});
        CAPTURE(granule, maps_in_fold, rows, to_label(plan));
        REQUIRE(plan.shape.lanes > 32);
        CHECK(plan.early_parameters == (granule == 8 || !maps_in_fold || rows == most));
      }
    }
  }
}

TEST_CASE("a block asks for parameters early: few of them, small calls, rows that no other kernel serves") {
  alignas(16) static const float address[4] = {};  // a plan needs an address only
  for (const fold_class fold : {fold_class::sum, fold_class::norm}) {
    for (const int parameters : {0, 1, 2}) {
      for (const int cols : {1024, 1408, 1536, 2048, 2560, 3072, 4096, 8192}) {
        const std::int64_t most = 4 * 1024 * 1024 / (2 * cols);  // as many bytes as memory has on its way
        for (const std::int64_t rows : {std::int64_t{1}, most, most + 1}) {
          row_problem problem = packed_problem(rows, cols, 8, 0);
          problem.fold_passes = fold == fold_class::sum ? 1 : 2;
          for (int i = 0; i < parameters; ++i) problem.add_parameter("p", reinterpret_cast<const short*>(address));
          const row_plan plan = make_row_plan(problem, device_info{});
          CAPTURE(static_cast<int>(fold), parameters, cols, rows, to_label(plan));
          const bool block = plan.shape.lanes > 32;
          const bool only_kernel = parameters == 1 || (fold == fold_class::norm && cols == 1408);
          CHECK(block == (cols > 1280 || (cols == 1280 && fold == fold_class::sum)));
          CHECK(plan.early_parameters == (block && parameters > 0 && (only_kernel || rows <= most)));
          CHECK(plan.early_parameters == (to_string(plan).find("asked for early") != std::string::npos));
          plan_request request;
          request.late_parameters = true;
          CHECK(make_row_plan(problem, device_info{}, request).early_parameters ==
                (block && parameters > 0 && only_kernel));
          problem.maps_in_fold = true;  // what the map makes is kept: nothing changes
          CHECK(make_row_plan(problem, device_info{}, request).early_parameters ==
                (block && parameters > 0 && only_kernel));
        }
      }
    }
  }
}

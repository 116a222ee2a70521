// SPDX-License-Identifier: MIT
// What is wrong with the arguments of a call: of several faults the first is reported, whichever part of an op finds
// it.
#include <cmath>
#include <cstdint>
#include <limits>

#include "rowfold/ada_norm.hpp"
#include "rowfold/cross_entropy.hpp"
#include "rowfold/dropout.hpp"
#include "rowfold/dropout_add_layer_norm.hpp"
#include "rowfold/launch/fold_rows.cuh"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "rowfold/row/dropout.hpp"
#include "rowfold/row/dropout_map.cuh"
#include "rowfold/row/sink.cuh"
#include "rowfold/row/source.cuh"
#include "support/check.hpp"

using namespace rowfold;

TEST_CASE("a problem keeps the first fault") {
  row_problem problem;
  problem.rows = problem.cols = 1;
  problem.blame(problem_fault::bad_option);
  CHECK(problem.fault == problem_fault::bad_option);
  problem.blame(problem_fault::no_columns);
  problem.require_eps(-1);
  problem.require(nullptr);
  check_drop_probability(problem, 2);
  while (problem.operand_count < row_problem::max_operands) problem.add({});
  problem.add({});
  CHECK(problem.fault == problem_fault::bad_option);
}

TEST_CASE("eps is not negative, and finite in the type that computes with it") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest = static_cast<double>(std::numeric_limits<float>::max());
  const double rounded_down = std::nextafter(0x1.ffffffp127, 0.0);  // to the largest float
  const auto fault = [](int accumulate_bytes, double eps) {
    row_problem problem;
    problem.accumulate_bytes = accumulate_bytes;
    problem.require_eps(eps);
    return problem.fault;
  };
  for (const int bytes : {4, 8}) {
    CAPTURE(bytes);
    for (const double eps : {0.0, 1e-300, largest, rounded_down}) CHECK(fault(bytes, eps) == problem_fault::none);
    for (const double eps : {-1e-300, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
      CHECK(fault(bytes, eps) == problem_fault::bad_eps);
    }
  }
  for (const double eps : {0x1.ffffffp127, 1e39, 1e300}) {
    CHECK(fault(4, eps) == problem_fault::bad_eps);
    CHECK(fault(8, eps) == problem_fault::none);
  }
}

TEST_CASE("a tensor whose address is no multiple of its element's size is refused, and named") {
  for (const int bytes : {1, 2, 4, 8}) {
    for (unsigned offset = 0; offset < 16; ++offset) {
      row_problem problem;
      problem.op = "test_op";
      problem.rows = problem.cols = 64;
      problem.granule = 8;
      problem.accumulate_bytes = 4;
      problem.fold_passes = 1;
      problem.add(make_operand<std::uint16_t>("x", operand_kind::input, nullptr, row_layout{}.resolved(64)));
      problem.add(make_operand<std::uint16_t>("y", operand_kind::output, nullptr, row_layout{}.resolved(64)));
      problem.operands[1].element_bytes = bytes;
      problem.operands[1].misalignment = offset;
      const row_plan plan = make_row_plan(problem, device_info{});
      INFO(bytes << " bytes, " << offset << " past a multiple of 16: " << to_string(plan));
      if (offset % static_cast<unsigned>(bytes) == 0) {
        CHECK(plan.status == plan_status::ready);
      } else {
        CHECK(plan.status == plan_status::refused);
        CHECK(plan.reason == plan_reason::refused_misaligned_element);
        CHECK(to_string(plan).find("y: its address is not a multiple of its element's size") != std::string::npos);
      }
      problem.rows = 0;  // of which no address is used
      CHECK(make_row_plan(problem, device_info{}).status == plan_status::nothing);
    }
  }
}

TEST_CASE("a seed or an offset on the device that lies between two numbers is refused") {
  const auto pointer = [](std::uintptr_t address) { return reinterpret_cast<const std::uint64_t*>(address); };
  for (const std::uintptr_t address : {0x1000, 0x1001, 0x1004, 0x1007, 0x1008}) {
    for (const bool is_seed : {true, false}) {
      dropout_args<float> args;
      args.x = reinterpret_cast<const float*>(0x2000);
      args.y = reinterpret_cast<float*>(0x3000);
      args.rows = args.cols = 8;
      (is_seed ? args.random.device_seed : args.random.device_offset) = pointer(address);
      const row_plan plan = plan_dropout(args, {});
      INFO(to_string(plan));
      CHECK((plan.status == plan_status::ready) == (address % 8 == 0));
      dropout_add_layer_norm_args<float> more;
      more.x = more.residual = args.x;
      more.y = args.y;
      more.rows = more.cols = 8;
      more.random = args.random;
      const row_plan other = plan_dropout_add_layer_norm(more, {});
      INFO(to_string(other));
      CHECK((other.status == plan_status::ready) == (address % 8 == 0));
      if (address % 8 != 0) {
        CHECK(plan.reason == plan_reason::refused_misaligned_random);
        CHECK(other.reason == plan_reason::refused_misaligned_random);
        CHECK(to_string(plan).find("the seed or the offset on the device is not a multiple of 8") != std::string::npos);
      }
    }
  }
}

TEST_CASE("ops with two faults report the first") {
  ada_norm_args<float> norm;
  norm.rows = 4;
  norm.cols = 4;
  norm.rows_per_group = 0;
  norm.eps = -1;
  CHECK(plan_ada_layer_norm(norm, {}).reason == plan_reason::refused_option);
  CHECK(plan_ada_rms_norm(norm, {}).reason == plan_reason::refused_option);

  cross_entropy_args<float> loss;
  loss.rows = 4;
  loss.cols = 4;
  loss.label_smoothing = 2;
  CHECK(plan_cross_entropy(loss, {}).reason == plan_reason::refused_null_pointer);
}

TEST_CASE("a map with a fault does not hide that of the source before it") {
  float value = 0;
  const row_layout layout = row_layout::strided(4);
  const dropout_map map(2, {}, 4);
  const plain_sink<float> sink{&value, layout};
  const auto reason = [&](const float* x) {
    return plan_rows({1, 4}, plain_source<float>{x, layout}, stages(), map, sink, {}).reason;
  };
  CHECK(reason(&value) == plan_reason::refused_option);
  CHECK(reason(nullptr) == plan_reason::refused_null_pointer);
}

// SPDX-License-Identifier: MIT
// What is wrong with the arguments of a call: of several faults the first is reported, whichever part of an op finds
// it.
#include <limits>

#include "rowfold/ada_norm.hpp"
#include "rowfold/cross_entropy.hpp"
#include "rowfold/launch/fold_rows.cuh"
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

TEST_CASE("eps is finite and not negative") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double eps : {0.0, 1e-300, 1e300}) {
    row_problem problem;
    problem.require_eps(eps);
    CHECK(problem.fault == problem_fault::none);
  }
  for (const double eps : {-1e-300, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    row_problem problem;
    problem.require_eps(eps);
    CHECK(problem.fault == problem_fault::bad_eps);
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

// SPDX-License-Identifier: MIT
// The kernel that only_columns compiles for a width is the one that the planner asks for, at every width and for every
// class of folds.
#include "rowfold/launch/only_columns.hpp"

#include <cstdint>

#include "rowfold/launch/make_row_plan.hpp"
#include "support/check.hpp"

using namespace rowfold;

namespace {

// Rows that are folded `folds` times and stored, every granule complete and aligned where cols allow it.
row_plan plan_of(int cols, int granule, fold_class fold, int folds, int joined_granules = 1) {
  row_problem problem;
  problem.op = "test_op";
  problem.rows = 1000;
  problem.cols = cols;
  problem.granule = granule;
  problem.accumulate_bytes = 4;
  problem.fold = fold;
  problem.fold_passes = folds;
  problem.stores_rows = true;
  problem.joined_granules = joined_granules;
  operand x;
  x.name = "x";
  x.element_bytes = 16 / granule;
  x.layout = row_layout::strided((cols + granule - 1) / granule * granule);
  problem.add(x);
  return make_row_plan(problem, device_info{});
}

template <class Compiled>
bool is_left_out(const row_plan& plan) {
  return detail::refuse_left_out<Compiled>(plan).status == plan_status::refused;
}

}  // namespace

TEST_CASE("the kernel of a width is the one of its default plan") {
  int held = 0, staged = 0;
  for (const int granule : {4, 8, 16}) {
    for (const fold_class fold : {fold_class::norm, fold_class::softmax}) {
      for (const int folds : {1, 2}) {
        for (const int joined : {1, 128 / granule}) {
          for (int cols = 1; cols <= 70000; cols += cols < 9000 ? 1 : 97) {
            const row_plan plan = plan_of(cols, granule, fold, folds, joined);
            REQUIRE(plan.status == plan_status::ready);
            const auto expected = detail::default_kernel(cols, {granule, plan.problem.shape_class(), joined});
            if (!(detail::kernel_of(plan) == expected)) FAIL(cols << " columns in granules of " << granule);
            ++(expected.vectors > 0 ? held : staged);
          }
        }
      }
    }
  }
  CHECK(held > 10000);
  CHECK(staged > 10000);
}

TEST_CASE("only_columns leaves out the kernels of other widths, and none of ops with few") {
  const auto norm = [](int cols) { return plan_of(cols, 8, fold_class::norm, 2); };
  CHECK(!is_left_out<only_columns<768>>(norm(768)));
  CHECK(!is_left_out<only_columns<768>>(norm(384)));  // 3 granules a lane, too
  CHECK(is_left_out<only_columns<768>>(norm(1024)));
  CHECK(is_left_out<only_columns<768>>(norm(769)));
  CHECK(is_left_out<only_columns<768>>(norm(2048)));
  CHECK(is_left_out<only_columns<768>>(norm(64)));
  CHECK(!is_left_out<only_columns<64, 2048>>(norm(64)));
  CHECK(!is_left_out<only_columns<64, 2048>>(norm(2048)));
  CHECK(is_left_out<only_columns<64, 2048>>(norm(32)));  // the kernel for 64 columns has no lane without a granule
  CHECK(is_left_out<only_columns<32>>(norm(64)));
  CHECK(!is_left_out<only_columns<769>>(norm(1001)));       // one kernel serves every width at any address
  CHECK(!is_left_out<only_columns<65536>>(norm(1 << 20)));  // rows in shared memory, whole or part by part
  CHECK(!is_left_out<only_columns<768, 1>>(norm(769)));
  CHECK(!is_left_out<any_columns>(norm(769)));

  row_plan plan = norm(1024);
  plan.problem.accumulate_bytes = 8;
  CHECK(!is_left_out<only_columns<768>>(plan));
  plan = norm(1024);
  plan.problem.fold_passes = 0;
  CHECK(!is_left_out<only_columns<768>>(plan));
  plan = norm(1024);
  plan.problem.spaced_columns = true;
  CHECK(!is_left_out<only_columns<768>>(plan));
  plan = norm(1024);
  plan.problem.fold_passes = 1;
  plan.problem.stores_rows = false;
  CHECK(!is_left_out<only_columns<768>>(plan));
  plan.problem.fold_passes = 2;
  CHECK(is_left_out<only_columns<768>>(plan));
}

// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "norms/norm_checks.hpp"
#include "support/check.hpp"
#include "support/small_call.hpp"

namespace rowfold_test {
namespace {

using rowfold::plan_reason;
using rowfold::plan_status;
using rowfold::row_plan;

constexpr int rows = small_rows;
constexpr int cols = small_cols;

struct small_call : small_call_of<norm_set, norm_call> {
  explicit small_call(const norm_set& set) : small_call_of(set) {
    call.x = input();
    call.y = output();
    call.statistic = output();
    if (set.has_mean()) call.mean = output();
  }
};

void check_refusals(const norm_set& set) {
  small_call c(set);
  const norm_call good = c.call;
  c.call.rows = -1;
  c.expect_refused(plan_reason::refused_rows, "rows is negative");
  c.call = good;
  for (const int bad : {-1, std::numeric_limits<int>::max()}) {
    c.call.cols = bad;
    c.expect_refused(plan_reason::refused_cols, "columns is negative or too large");
  }
  c.call = good;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity, -1e-300}) {
    c.call.eps = bad;
    c.expect_refused(plan_reason::refused_eps, "eps");
  }
  c.call = good;
  c.call.x = nullptr;
  c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
  c.call = good;
  c.call.y = nullptr;
  c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
  c.call = good;
  if (set.modulates()) {
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-7}}) {
      c.call.rows_per_group = bad;
      c.expect_refused(plan_reason::refused_option, "option");
    }
    c.call = good;
  }
  c.call.request.lanes = 3;
  c.expect_refused(plan_reason::refused_request, "lanes");
  c.call = good;
  c.call.request.require_vectorized = true;
  if (set.has_parameters()) {
    c.expect_refused(plan_reason::parameter_is_null, "null");
    c.call.first = c.call.second = good.x;
  }
  c.call.y_layout = rowfold::row_layout::strided(cols + 1);
  c.expect_refused(plan_reason::refused_misaligned_stride, "y: its row stride");
  c.call.y_layout = {};
  if (set.has_parameters()) {
    c.call.first = static_cast<const unsigned char*>(good.x) + 8;
    c.expect_refused(plan_reason::refused_misaligned_pointer, set.modulates() ? "scale: its" : "gamma: its");
    c.call.first = good.x;
  }
  if (set.modulates()) {  // one group alone has no stride; two of them do
    c.call.second_stride = cols + 1;
    c.call.rows_per_group = rows;
    CHECK(set.plan(c.call).status == plan_status::ready);
    c.call.rows_per_group = rows - 1;
    c.expect_refused(plan_reason::refused_misaligned_stride, "shift: its row stride");
  }
}

void check_plans(const norm_set& set) {
  small_call c(set);
  const row_plan plan = set.plan(c.call);
  CHECK(plan.status == plan_status::ready);
  require_success(set.run_plan(c.call, plan));
  rowfold_test::sync();

  small_call other(set);
  other.call.plan = plan;
  other.call.cols = cols - 1;
  CHECK(static_cast<int>(set.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  other.call.cols = cols;
  other.call.statistic = nullptr;  // one tensor less
  CHECK(static_cast<int>(set.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  other.expect_untouched();
}

}  // namespace

void check_arguments(const norm_sets& sets) {
  for (const norm_set* set : sets) {
    check_refusals(*set);
    check_plans(*set);
    small_call c(*set);
    c.call.rows = 0;
    c.expect_nothing(plan_reason::no_rows);
    c.call.rows = rows;
    c.call.cols = 0;
    c.expect_nothing(plan_reason::no_columns);
  }
}

}  // namespace rowfold_test

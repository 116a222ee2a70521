// SPDX-License-Identifier: MIT
// What softmax does with arguments that ask for nothing, or for what cannot be done: nothing is written, the status and
// the plan say why.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "rowfold/launch/plan_string.hpp"
#include "softmax/more_sets.hpp"
#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_run.hpp"
#include "support/check.hpp"
#include "support/small_call.hpp"

using namespace rowfold_test;
using rowfold::plan_reason;
using rowfold::plan_status;
using rowfold::row_plan;

namespace {

constexpr int rows = small_rows;
constexpr int cols = small_cols;

struct small_call : small_call_of<softmax_set, softmax_call> {
  explicit small_call(const softmax_set& set) : small_call_of(set) {
    call.x = input();
    call.mask = input();
    call.lengths = input();
    call.y = output();
    call.log_sum_exp = output();
  }

  void expect_refused(plan_reason reason, const std::string& words) const {
    CHECK(rowfold::to_string(types().plan(call)).find(types().logarithm ? "log_softmax" : "softmax") == 0);
    small_call_of::expect_refused(reason, words);
  }
};

}  // namespace

TEST_CASE("softmax: bad arguments are refused, with the reason, and nothing is written") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const softmax_set* set : all_softmax_sets()) {
    small_call c(*set);
    const softmax_call good = c.call;
    for (const std::int64_t bad : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
      c.call.rows = bad;
      c.expect_refused(plan_reason::refused_rows, "rows is negative");
    }
    c.call = good;
    for (const int bad : {-1, std::numeric_limits<int>::max()}) {
      c.call.cols = bad;
      c.expect_refused(plan_reason::refused_cols, "columns is negative or too large");
    }
    c.call = good;
    c.call.x = nullptr;
    c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    c.call = good;
    c.call.y = nullptr;
    c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    c.call = good;
    c.call.request.lanes = 3;
    c.expect_refused(plan_reason::refused_request, "lanes");
    c.call = good;
    if (set->scaled) {
      for (const double bad : {nan, infinity, -infinity, 0x1.8p64, -1e30}) {
        c.call.scale = bad;
        c.expect_refused(plan_reason::refused_option, "option");
      }
      c.call = good;
      c.call.scale = -0x1p64;
      CHECK(set->plan(c.call).status == plan_status::ready);
      c.call = good;
    }
    if (set->causal) {
      for (const long long bad : {0ll, -1ll}) {
        c.call.queries = bad;
        c.expect_refused(plan_reason::refused_option, "option");
      }
      c.call = good;
    }
    if (set->masked) {
      c.call.mask = nullptr;
      c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
      c.call = good;
    }
    if (set->length_bytes != 0) {
      c.call.lengths = nullptr;
      c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
      c.call = good;
    }
  }
}

TEST_CASE("softmax: vector accesses can be demanded, and the first tensor that has none is named") {
  small_call c(half_masked_softmax);
  const softmax_call good = c.call;
  c.call.request.require_vectorized = true;
  CHECK(half_masked_softmax.plan(c.call).status == plan_status::ready);
  c.call.x = static_cast<const unsigned char*>(good.x) + 2;
  c.expect_refused(plan_reason::refused_misaligned_pointer, "x: its address");
  c.call.x = good.x;
  c.call.mask = static_cast<const unsigned char*>(good.mask) + 4;
  c.expect_refused(plan_reason::refused_misaligned_pointer, "mask: its address");
  c.call.mask = good.mask;
  c.call.mask_layout = rowfold::row_layout::strided(18);
  c.expect_refused(plan_reason::refused_misaligned_stride, "mask: its row stride");
  c.call.mask_layout = {};
  c.call.y = static_cast<unsigned char*>(good.y) + 2;
  c.expect_refused(plan_reason::refused_misaligned_pointer, "y: its address");
}

TEST_CASE("softmax: a plan serves the arguments that it was made for, and no others") {
  small_call c(float_softmax);
  const row_plan plan = float_softmax.plan(c.call);
  require_success(float_softmax.run_plan(c.call, plan));
  rowfold_test::sync();
  small_call other(float_softmax);
  other.call.plan = plan;
  other.call.cols = cols - 1;
  CHECK(static_cast<int>(float_softmax.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  other.call.cols = cols;
  other.call.log_sum_exp = nullptr;  // one tensor fewer
  CHECK(static_cast<int>(float_softmax.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  rowfold_test::sync();
  other.expect_untouched();
  small_call logarithm(float_log_softmax);
  logarithm.call.plan = plan;  // of the other op
  CHECK(static_cast<int>(float_log_softmax.run(logarithm.call)) == static_cast<int>(cudaErrorInvalidValue));
  rowfold_test::sync();
  logarithm.expect_untouched();
}

TEST_CASE("softmax: no rows or no columns: success, and nothing is written or left behind") {
  for (const softmax_set* set : all_softmax_sets()) {
    small_call c(*set);
    c.call.rows = 0;
    c.call.cols = 1024;
    c.expect_nothing(plan_reason::no_rows);
    c.call.rows = rows;
    c.call.cols = 0;
    c.expect_nothing(plan_reason::no_columns);
    c.call = {};  // null pointers are as good as any
    c.expect_nothing(plan_reason::no_rows);
#if defined(__CUDACC__)
    CHECK(static_cast<int>(cudaGetLastError()) == static_cast<int>(cudaSuccess));
#endif
    const softmax_input input = normal_logits(*set, rows, cols);
    CHECK(compare(input, run(input)).fault == "");
  }
}

// SPDX-License-Identifier: MIT
// What cross-entropy does with arguments that ask for nothing, or for what cannot be done: nothing is written, the
// status and the plan say why.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cross_entropy/reference.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "support/check.hpp"
#include "support/small_call.hpp"

using namespace cross_entropy_test;
using namespace rowfold_test;
using rowfold::plan_reason;
using rowfold::plan_status;
using rowfold::row_plan;

namespace {

constexpr int rows = small_rows;
constexpr int cols = small_cols;

struct small_call : small_call_of<logit_type, cross_entropy_call> {
  explicit small_call(const logit_type& type) : small_call_of(type) {
    call.logits = input();
    call.labels = input();
    call.loss = static_cast<float*>(output());
    call.lse = static_cast<float*>(output());
  }
};

}  // namespace

TEST_CASE("cross-entropy: bad arguments are refused, with the reason, and nothing is written") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const logit_type* type : logit_types()) {
    small_call c(*type);
    const cross_entropy_call good = c.call;
    c.call.rows = -1;
    c.expect_refused(plan_reason::refused_rows, "rows is negative");
    c.call = good;
    for (const int bad : {-1, std::numeric_limits<int>::max()}) {
      c.call.cols = bad;
      c.expect_refused(plan_reason::refused_cols, "columns is negative or too large");
    }
    for (double cross_entropy_call::*option :
         {&cross_entropy_call::label_smoothing, &cross_entropy_call::z_loss, &cross_entropy_call::soft_cap}) {
      for (const double bad : {nan, infinity, -infinity, -1e-300}) {
        c.call = good;
        c.call.*option = bad;
        c.expect_refused(plan_reason::refused_option, "option is out of its range");
      }
    }
    c.call = good;
    c.call.label_smoothing = 1.0000001;
    c.expect_refused(plan_reason::refused_option, "option is out of its range");
    c.call = good;
    c.call.logits = nullptr;
    c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    c.call = good;
    c.call.labels = nullptr;
    c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    c.call = good;
    c.call.loss = nullptr;
    c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    c.call = good;
    c.call.rows = std::int64_t{1} << 50;
    c.expect_refused(plan_reason::refused_too_many_rows, "do not fit");
  }
}

TEST_CASE("cross-entropy: requests that cannot be met are refused, with the reason") {
  small_call c(float_logits);
  const cross_entropy_call good = c.call;
  for (const int lanes : {-1, 3, 48, 1024}) {
    c.call.request.lanes = lanes;
    c.expect_refused(plan_reason::refused_request, "lanes");
  }
  c.call = good;
  c.call.request.require_vectorized = true;
  CHECK(float_logits.plan(c.call).status == plan_status::ready);
  c.call.logits = static_cast<const unsigned char*>(good.logits) + 4;
  c.expect_refused(plan_reason::refused_misaligned_pointer, "logits: its address");
  c.call.logits = good.logits;
  c.call.logits_layout = rowfold::row_layout::strided(18);
  c.expect_refused(plan_reason::refused_misaligned_stride, "logits: its row stride");
  c.call.logits_layout = rowfold::row_layout::strided(16);
  c.call.cols = 15;
  c.expect_refused(plan_reason::refused_partial_granule, "granule");
}

TEST_CASE("cross-entropy: a plan serves the arguments that it was made for, and no others") {
  small_call c(bfloat16_logits);
  const row_plan plan = bfloat16_logits.plan(c.call);
  CHECK(rowfold::to_label(plan) == "streamed/whole 2 lanes x 4, 128 threads, 1 blocks");
  CHECK(rowfold::to_string(plan).find("rows read once and not kept: the row is folded once and not stored") !=
        std::string::npos);
  small_call other(bfloat16_logits);
  other.call.plan = plan;
  other.call.cols = cols - 1;
  CHECK(static_cast<int>(bfloat16_logits.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  other.call.cols = cols;
  other.call.lse = nullptr;
  CHECK(static_cast<int>(bfloat16_logits.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  rowfold_test::sync();
  other.expect_untouched();
  c.call.plan = plan;
  require_success(bfloat16_logits.run(c.call));
}

TEST_CASE("cross-entropy: no rows: success, and nothing is written or left behind") {
  for (const logit_type* type : logit_types()) {
    small_call c(*type);
    c.call.rows = 0;
    c.call.cols = 1024;
    c.expect_nothing(plan_reason::no_rows);
    c.call = {};  // null pointers are as good as any
    c.expect_nothing(plan_reason::no_rows);
#if defined(__CUDACC__)
    CHECK(static_cast<int>(cudaGetLastError()) == static_cast<int>(cudaSuccess));
#endif
    const cross_entropy_input input = normal_logits(*type, rows, cols);
    CHECK(compare(input, run(input)).fault == "");
  }
}

TEST_CASE("cross-entropy: rows of no column have no label among their columns") {
  for (const logit_type* type : logit_types()) {
    for (const double smoothing : {0.0, 0.1}) {
      cross_entropy_input input = normal_logits(*type, 3, 1);
      input.cols = 0;
      input.x.clear();
      input.labels = {0, -100, 5};
      input.label_smoothing = smoothing;
      placement where;
      where.count_bytes = true;
      const cross_entropy_output output = run(input, where);
      CHECK(std::isnan(output.loss[0]));
      CHECK(output.loss[1] == 0);
      CHECK(std::isnan(output.loss[2]));
      for (const double lse : output.lse) CHECK(lse == -std::numeric_limits<double>::infinity());
      if (on_cpu) CHECK(output.issued_bytes == 3 * (8 + 4 + 4));
      CHECK(output.plan.issued_bytes == 3 * (8 + 4 + 4));
      small_call c(*type);
      c.call.cols = 0;
      c.call.labels = nullptr;
      c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    }
  }
}

TEST_CASE("cross-entropy: lse may be null") {
  for (const logit_type* type : logit_types()) {
    const cross_entropy_input input = normal_logits(*type, 4, 100);
    placement where;
    where.lse = false;
    CHECK(same_bits(run(input, where).loss, run(input).loss));
  }
}

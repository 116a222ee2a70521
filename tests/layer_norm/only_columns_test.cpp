// SPDX-License-Identifier: MIT
// only_columns<64, 768, 4096>: the same bits as with all kernels where a compiled kernel serves the row; elsewhere the
// call is refused, with the reason, and nothing is written.
#include "rowfold/launch/only_columns.hpp"

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "support/check.hpp"
#include "support/small_call.hpp"

using namespace rowfold_test;
using rowfold::plan_reason;

namespace {

struct small_call : small_call_of<type_set, layer_norm_call> {
  small_call() : small_call_of(three_widths_types) {
    call.cols = 64;
    call.x = input();
    call.gamma = input();
    call.beta = input();
    call.y = output();
    call.mean = output();
    call.rstd = output();
  }
  void expect_left_out(const char* why = "only_columns leaves it out") const {
    expect_refused(plan_reason::refused_kernel_left_out, why);
  }
};

}  // namespace

TEST_CASE("only_columns: the bits of an op with all kernels, at these widths and others of their kernels",
          "[sanitize]") {
  for (const int cols : {64, 768, 4096, 384, 3000, 2056}) {
    for (const std::int64_t rows : {std::int64_t{5}, std::int64_t{600}}) {  // parameters asked for early, and late
      if (cols < 4096 && rows > 5) continue;
      layer_norm_input input = normal_rows(bfloat16_types, rows, cols);
      const layer_norm_output expected = run(input);
      input.types = &three_widths_types;
      for (const bool short_call : {false, true}) {
        placement where;
        where.short_call = short_call;
        where.statistics = !short_call;
        const layer_norm_output y = run(input, where);
        INFO(rows << " x " << cols);
        CHECK(same_bits(y.y, expected.y));
        if (!short_call) CHECK((same_bits(y.mean, expected.mean) && same_bits(y.rstd, expected.rstd)));
        if (cols == 4096) CHECK(y.plan.early_parameters == (rows == 5));
        CHECK(rowfold::detail::kernel_of(y.plan) == rowfold::detail::kernel_of(expected.plan));
      }
    }
  }
}

TEST_CASE("only_columns: rows of kernels that are left out are refused") {
  small_call c;
  const layer_norm_call good = c.call;
  for (const int other : {1, 8, 32, 56, 63}) {
    c.call.cols = other;
    c.expect_left_out();
  }
  c.call = good;
  c.call.gamma = nullptr;
  c.expect_left_out("leaves it out (a parameter that could be there is null");
  c.call = good;
  c.call.x = static_cast<const unsigned char*>(good.x) + 2;
  c.expect_left_out("leaves it out (x: its address is not a multiple of 16 bytes)");
  c.call = good;
  c.call.y_layout = rowfold::row_layout::strided(65);
  c.call.rows = 2;
  c.expect_left_out();
  c.call = good;
  c.call.request.staged = true;
  c.expect_left_out();
  c.call.request = {};
  c.call.request.reread = true;
  c.expect_left_out();
  // A refusal for another reason keeps it, and what asks for nothing is no refusal.
  c.call = good;
  c.call.eps = -1;
  c.expect_refused(plan_reason::refused_eps, "eps");
  c.call = good;
  c.call.rows = 0;
  c.call.cols = 5;
  c.expect_nothing(plan_reason::no_rows);
}

TEST_CASE("only_columns: a plan for a kernel that is left out, made without it, is not launched") {
  small_call c;
  c.call.cols = 32;
  const rowfold::row_plan plan = bfloat16_types.plan(c.call);
  REQUIRE(plan.status == rowfold::plan_status::ready);
  CHECK(static_cast<int>(three_widths_types.run_plan(c.call, plan)) == static_cast<int>(cudaErrorInvalidValue));
  c.expect_untouched();
  c.call.plan = plan;
  CHECK(static_cast<int>(three_widths_types.run(c.call)) == static_cast<int>(cudaErrorInvalidValue));
  c.expect_untouched();
}

// SPDX-License-Identifier: MIT
// What LayerNorm does with arguments that ask for nothing, or for what cannot be done: nothing is written, the status
// and the plan say why.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "layer_norm/hard_rows.hpp"
#include "layer_norm/layer_norm_run.hpp"
#include "layer_norm/reference.hpp"
#include "support/check.hpp"
#include "support/small_call.hpp"

using namespace rowfold_test;
using rowfold::plan_reason;
using rowfold::plan_status;
using rowfold::row_plan;

namespace {

constexpr int rows = small_rows;
constexpr int cols = small_cols;

struct small_call : small_call_of<type_set, layer_norm_call> {
  explicit small_call(const type_set& types) : small_call_of(types) {
    call.x = input();
    call.y = output();
    call.mean = output();
    call.rstd = output();
  }
};

}  // namespace

TEST_CASE("bad arguments are refused, with the reason, and nothing is written") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const type_set* types : type_sets()) {
    small_call c(*types);
    const layer_norm_call good = c.call;
    for (const std::int64_t bad : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
      c.call.rows = bad;
      c.expect_refused(plan_reason::refused_rows, "rows is negative");
    }
    c.call = good;
    for (const int bad : {-1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
      c.call.cols = bad;
      c.expect_refused(plan_reason::refused_cols, "columns is negative or too large");
    }
    c.call = good;
    for (const double bad : {nan, infinity, -infinity, -1e-300}) {
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
    c.call.x = static_cast<const unsigned char*>(good.x) + 1;
    c.expect_refused(plan_reason::refused_misaligned_element, "x: its address is not a multiple of its element's size");
    c.call = good;
    c.call.rstd = static_cast<unsigned char*>(good.rstd) + 2;
    c.expect_refused(plan_reason::refused_misaligned_element, "rstd: its address");
  }
}

TEST_CASE("a refused plan that somebody calls ready is not launched") {
  for (const type_set* types : type_sets()) {
    small_call c(*types);
    c.call.cols = small_cols - 1;
    c.call.request.require_vectorized = true;
    row_plan plan = types->plan(c.call);
    REQUIRE(plan.status == plan_status::refused);
    plan.status = plan_status::ready;
    CHECK(static_cast<int>(types->run_plan(c.call, plan)) == static_cast<int>(cudaErrorInvalidValue));
    c.expect_untouched();
  }
}

TEST_CASE("more rows than a grid has blocks for are refused") {
  small_call c(float_types);
  for (const std::int64_t many : {std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::max()}) {
    c.call.rows = many;
    c.call.cols = 16;
    c.expect_refused(plan_reason::refused_too_many_rows, "do not fit");
  }
  // The border: of wide rows, one a block, 2^31 - 1 fit.
  c.call.cols = 4096;
  c.call.rows = 0x7fffffff;
  CHECK(float_types.plan(c.call).status == plan_status::ready);
  CHECK(float_types.plan(c.call).grid_blocks == 0x7fffffffu);
  c.call.rows = std::int64_t{1} << 31;
  c.expect_refused(plan_reason::refused_too_many_rows, "do not fit");
}

TEST_CASE("requests that cannot be met are refused, with the reason") {
  small_call c(float_types);
  const layer_norm_call good = c.call;
  for (const int lanes : {-1, 3, 33, 48, 1024}) {
    c.call.request.lanes = lanes;
    c.expect_refused(plan_reason::refused_request, "lanes");
  }
  c.call = good;
  for (const int threads : {-32, 1, 48, 1024}) {
    c.call.request.block_threads = threads;
    c.expect_refused(plan_reason::refused_request, "threads");
  }
  c.call = good;
  c.call.request.require_vectorized = true;
  c.expect_refused(plan_reason::parameter_is_null, "a parameter");
  c.call.gamma = c.call.beta = good.x;
  require_success(float_types.plan(c.call).status == plan_status::ready ? cudaSuccess : cudaErrorUnknown);
  c.call.x = static_cast<const unsigned char*>(good.x) + 4;
  c.expect_refused(plan_reason::refused_misaligned_pointer, "x: its address");
  c.call.x = good.x;
  c.call.y = static_cast<unsigned char*>(good.y) + 4;
  c.expect_refused(plan_reason::refused_misaligned_pointer, "y: its address");
  c.call.y = good.y;
  c.call.gamma = static_cast<const unsigned char*>(good.x) + 8;
  c.expect_refused(plan_reason::refused_misaligned_pointer, "gamma: its address");
  c.call.gamma = good.x;
  c.call.y_layout = rowfold::row_layout::strided(18);
  c.expect_refused(plan_reason::refused_misaligned_stride, "y: its row stride");
  c.call.y_layout = {};
  c.call.cols = 15;
  c.call.x_layout = c.call.y_layout = rowfold::row_layout::strided(16);
  c.expect_refused(plan_reason::refused_partial_granule, "granule");
}

TEST_CASE("a plan serves the arguments that it was made for, and no others") {
  const layer_norm_input input = normal_rows(float_types, rows, cols);
  small_call c(float_types);
  const row_plan plan = float_types.plan(c.call);
  require_success(float_types.run_plan(c.call, plan));
  rowfold_test::sync();

  small_call other(float_types);
  other.call.plan = plan;
  other.call.cols = cols - 1;
  CHECK(static_cast<int>(float_types.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  other.call.cols = cols;
  other.call.x = static_cast<const unsigned char*>(other.call.x) + 4;  // another alignment
  CHECK(static_cast<int>(float_types.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  other.call.x = static_cast<const unsigned char*>(other.call.x) - 4;
  other.call.gamma = other.call.x;  // one tensor more
  CHECK(static_cast<int>(float_types.run(other.call)) == static_cast<int>(cudaErrorInvalidValue));
  rowfold_test::sync();
  other.expect_untouched();
}

TEST_CASE("no rows or no columns: success, and nothing is written or left behind") {
  for (const type_set* types : type_sets()) {
    small_call c(*types);
    c.call.rows = 0;
    c.call.cols = 1024;
    c.expect_nothing(plan_reason::no_rows);
    c.call.rows = rows;
    c.call.cols = 0;
    c.expect_nothing(plan_reason::no_columns);
    c.call.rows = 0;
    c.expect_nothing(plan_reason::no_rows);
    c.call = {};  // null pointers are as good as any
    c.expect_nothing(plan_reason::no_rows);
#if defined(__CUDACC__)
    CHECK(static_cast<int>(cudaGetLastError()) == static_cast<int>(cudaSuccess));
#endif
    const layer_norm_input input = normal_rows(*types, rows, cols);
    CHECK(compare(input, run(input)).fault == "");
  }
}

TEST_CASE("null gamma counts as 1 and null beta as 0, each alone and both, also as literal nullptr") {
  for (const type_set* types : type_sets()) {
    for (const int width : {1, 8, 24, 100}) {
      for (const bool with_gamma : {false, true}) {
        for (const bool with_beta : {false, true}) {
          layer_norm_input input = normal_rows(*types, 2, width);
          if (!with_gamma) input.gamma.clear();
          if (!with_beta) input.beta.clear();
          const layer_norm_output output = run(input);
          CHECK(compare(input, output).fault == "");
          placement where;
          where.name = "short call";
          where.statistics = false;
          where.short_call = true;
          CHECK(same_bits(run(input, where).y, output.y));
        }
      }
    }
  }
}

#if defined(__CUDACC__)
TEST_CASE("the caller's own earlier error stays where it is") {
  const layer_norm_input input = normal_rows(float_types, rows, cols);
  (void)cudaGetLastError();
  CHECK(cudaSetDevice(-1) != cudaSuccess);
  const cudaError_t before = cudaPeekAtLastError();
  CHECK(before != cudaSuccess);
  CHECK(compare(input, run(input)).fault == "");
  CHECK(cudaGetLastError() == before);
}
#endif

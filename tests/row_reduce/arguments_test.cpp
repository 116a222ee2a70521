// SPDX-License-Identifier: MIT
// What row reductions do with arguments that ask for nothing, or for what cannot be done: nothing is written, the
// status and the plan say why. And rows without columns, which have results all the same.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "row_reduce/reference.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;
using kind = rowfold::statistic_kind;
using rowfold::plan_reason;
using rowfold::plan_status;

namespace {

constexpr int rows = 3;
constexpr int cols = 16;

// A good call of one type.
class small_call {
 public:
  explicit small_call(const reduce_types& types) : types_(types), x_(rows * cols * 8) {
    x_.fill_bytes(0);
    call.x = x_.data();
    call.rows = rows;
    call.cols = cols;
  }

  void expect_refused(plan_reason reason, const std::string& words) {
    INFO(types_.name << ", expected: " << words);
    const row_reduce_result result = types_.all(call);
    CHECK(result.plan.status == plan_status::refused);
    CHECK(result.plan.reason == reason);
    CHECK(rowfold::to_string(result.plan).find(words) != std::string::npos);
    CHECK(static_cast<int>(result.status) == static_cast<int>(cudaErrorInvalidValue));
    CHECK_FALSE(result.written);
  }

  row_reduce_call call;

 private:
  const reduce_types& types_;
  buffer<unsigned char> x_;
};

}  // namespace

TEST_CASE("row reduce: bad arguments are refused, with the reason, and nothing is written") {
  for (const reduce_types* types : reduce_type_sets()) {
    small_call c(*types);
    const row_reduce_call good = c.call;
    CHECK(types->all(good).written);
    c.call.rows = -1;
    c.expect_refused(plan_reason::refused_rows, "rows is negative");
    c.call = good;
    for (const int bad : {-1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
      c.call.cols = bad;
      c.expect_refused(plan_reason::refused_cols, "columns is negative or too large");
    }
    c.call = good;
    c.call.x = nullptr;
    c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    c.call = good;
    for (std::size_t i = 0; i < statistic_count; ++i) {
      c.call.null_output = static_cast<int>(i);
      c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    }
    c.call = good;
    for (const int bad : {-1, std::numeric_limits<int>::min()}) {
      c.call.correction = bad;
      c.expect_refused(plan_reason::refused_option, "option");
    }
    c.call = good;
    c.call.cols = 0;
    c.expect_refused(plan_reason::refused_no_columns, "no smallest");
    c.call = good;
    c.call.request.lanes = 3;
    c.expect_refused(plan_reason::refused_request, "lanes");
  }
}

TEST_CASE("a call that requires vectors is refused where a granule is not whole") {
  const reduce_types& types = *reduce_type_sets().front();
  small_call c(types);
  const row_reduce_call good = c.call;
  c.call.request.require_vectorized = true;
  CHECK(types.all(c.call).plan.status == plan_status::ready);
  c.call.x = static_cast<const unsigned char*>(good.x) + 4;
  c.expect_refused(plan_reason::refused_misaligned_pointer, "x: its address");
  c.call.x = good.x;
  c.call.x_layout = rowfold::row_layout::strided(18);
  c.expect_refused(plan_reason::refused_misaligned_stride, "x: its row stride");
  c.call.cols = 15;
  c.call.x_layout = rowfold::row_layout::strided(16);
  c.expect_refused(plan_reason::refused_partial_granule, "granule");
}

TEST_CASE("row reduce: a plan serves the arguments that it was made for, and no others") {
  const reduce_types& types = *reduce_type_sets().front();
  small_call c(types);
  c.call.plan = types.all(c.call).plan;
  require_success(types.all(c.call).status);
  for (const int other : {cols - 1, cols + 1}) {
    c.call.cols = other;
    const row_reduce_result result = types.all(c.call);
    CHECK(static_cast<int>(result.status) == static_cast<int>(cudaErrorInvalidValue));
    CHECK_FALSE(result.written);
  }
}

TEST_CASE("no rows: success, nothing is launched") {
  for (const reduce_types* types : reduce_type_sets()) {
    for (const int width : {0, 1, 1024}) {
      row_reduce_call call;
      call.cols = width;
      const row_reduce_result result = types->all(call);
      require_success(result.status);
      CHECK(result.plan.status == plan_status::nothing);
      CHECK(result.plan.reason == plan_reason::no_rows);
    }
  }
}

TEST_CASE("rows without columns have the statistics of no element") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const reduce_types* types : reduce_type_sets()) {
    for (const std::int64_t many : {1, 3, 300}) {
      for (const bool reread : {false, true}) {
        row_reduce_call call;  // x is null: there is nothing to read
        call.rows = many;
        call.cols = 0;
        call.request.reread = reread;
        INFO(types->name << ", " << many << " rows");
        const auto n = static_cast<std::size_t>(many);
        for (const int correction : {0, 1}) {
          call.correction = correction;
          const row_reduce_result pair = types->mean_variance(call);
          require_success(pair.status);
          if (on_cpu) CHECK(pair.plan.issued_bytes == pair.stored_bytes);
          CHECK(pair.plan.issued_bytes == pair.plan.minimal_bytes);
          bool all_nan = pair.of(kind::mean).size() == n;
          for (const kind k : {kind::mean, kind::variance}) {
            for (const double value : pair.of(k)) all_nan = all_nan && std::isnan(value);
          }
          CHECK(all_nan);
        }
        if (types->one_by_one == nullptr) continue;
        const row_reduce_result found = types->one_by_one(call);
        require_success(found.status);
        for (const kind k : {kind::sum, kind::l1_norm, kind::l2_norm, kind::abs_max, kind::any_nonfinite}) {
          INFO(rowfold::to_text(k));
          CHECK(found.of(k) == std::vector<double>(n, 0.0));
        }
        CHECK(found.of(kind::log_sum_exp) == std::vector<double>(n, -infinity));
        CHECK(found.of(kind::all_finite) == std::vector<double>(n, 1.0));
      }
    }
  }
}

TEST_CASE("a correction of as many as there are columns, or more, divides by 0") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const reduce_types* types : reduce_type_sets()) {
    rows_input input = normal_rows(*types, 1, 3);
    input.x = {1, 2, 4};
    for (const int correction : {3, 4, std::numeric_limits<int>::max()}) {
      input.correction = correction;
      CHECK(reduce_all(input).of(kind::variance)[0] == infinity);
    }
    input.correction = 2;
    CHECK(reduce_all(input).of(kind::variance)[0] == Catch::Approx(14.0 / 3));
    input.x = {2, 2, 2};
    input.correction = 3;
    CHECK(std::isnan(reduce_all(input).of(kind::variance)[0]));
  }
}

// SPDX-License-Identifier: MIT
// Arguments of a residual addition + norm that are special: NaN and infinities, null pointers, and what is refused or
// asks for nothing.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "add_norm/checks.hpp"
#include "add_norm/run.hpp"
#include "support/check.hpp"
#include "support/small_call.hpp"

namespace rowfold_test {
namespace add_norm {
namespace {

using rowfold::plan_reason;
using rowfold::plan_status;

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

std::vector<double> row_of(const std::vector<double>& values, int cols, std::ptrdiff_t row) {
  return {values.begin() + row * cols, values.begin() + (row + 1) * cols};
}

bool all_nan(const std::vector<double>& values) {
  bool result = !values.empty();
  for (const double value : values) result = result && std::isnan(value);
  return result;
}

// Runs rows of which row 2 alone differs from those that gave `clean`, and returns whether row 2 is all NaN.
bool spoils_row_2_alone(const input& spoilt, const output& clean, const placement& where) {
  const output found = run(spoilt, where);
  for (std::ptrdiff_t row = 0; row < spoilt.rows; ++row) {
    if (row == 2) continue;
    CHECK(same_bits(row_of(found.y, spoilt.cols, row), row_of(clean.y, spoilt.cols, row)));
    CHECK(same_bits(row_of(found.sum, spoilt.cols, row), row_of(clean.sum, spoilt.cols, row)));
  }
  return all_nan(row_of(found.y, spoilt.cols, 2));
}

constexpr int rows = small_rows;
constexpr int cols = small_cols;

struct small_call : small_call_of<op_types, call> {
  explicit small_call(const op_types& types) : small_call_of(types) {
    call.x = call.residual = call.gamma = call.beta = input();
    call.y = output();
    call.sum = output();
    call.rstd = output();
  }
};

}  // namespace

void check_special_values(const op_list& ops) {
  for (const op_types* types : ops) {
    for (const int width : {1, 33, 64, 259}) {
      const input in = normal_rows(*types, 5, width, true);
      const output clean = run(in);
      for (std::vector<double> input::*tensor : {&input::x, &input::residual}) {
        for (const int column : {0, width / 2, width - 1}) {
          for (const double value : {nan_value, -infinity}) {
            placement where;
            where.request.reread = column != 0 && value < 0;
            where.residual_offset = where.request.reread ? 1 : 0;
            input spoilt = in;
            (spoilt.*tensor)[static_cast<std::size_t>(2 * width + column)] = value;
            INFO(types->name << ", " << width << " columns, " << value << " at " << column);
            const bool row_is_nan = spoils_row_2_alone(spoilt, clean, where);
            // An infinity leaves a norm without a mean zeros in the other columns.
            if (types->has_mean || std::isnan(value)) CHECK(row_is_nan);
          }
        }
      }
      // Infinities that cancel are NaN.
      input spoilt = in;
      spoilt.x[static_cast<std::size_t>(2 * width)] = infinity;
      spoilt.residual[static_cast<std::size_t>(2 * width)] = -infinity;
      CHECK(spoils_row_2_alone(spoilt, clean, {}));
      // A bias is part of every row.
      spoilt = in;
      spoilt.bias[static_cast<std::size_t>(width - 1)] = nan_value;
      CHECK(all_nan(run(spoilt).y));
    }
  }
}

void check_null_pointers(const op_list& ops) {
  for (const op_types* types : ops) {
    for (const int width : {1, 24, 100}) {
      for (const bool with_gamma : {false, true}) {
        for (const bool with_beta : {false, true}) {
          for (const bool with_sum : {false, true}) {
            input in = normal_rows(*types, 2, width, false);
            if (!with_gamma) in.gamma.clear();
            if (!with_beta) in.beta.clear();
            placement where;
            where.name = "some are null";
            if (!with_sum) where.sum = place::nowhere;
            const output found = run(in, where);
            CHECK(types->judge(in, sums_of(in, true), types->sum, found).fault == "");
            CHECK(found.sum.empty() == !with_sum);
            where.statistics = false;
            CHECK(same_bits(run(in, where).y, found.y));
            where.name = "short call";
            where.short_call = true;
            const output brief = run(in, where);
            CHECK(same_bits(brief.y, found.y));
            CHECK(same_bits(brief.sum, found.sum));
          }
        }
      }
    }
  }
}

void check_refusals(const op_list& ops) {
  for (const op_types* types : ops) {
    small_call c(*types);
    const call good = c.call;
    c.call.rows = -1;
    c.expect_refused(plan_reason::refused_rows, "rows is negative");
    c.call = good;
    c.call.cols = -1;
    c.expect_refused(plan_reason::refused_cols, "columns is negative or too large");
    c.call = good;
    for (const double bad : {nan_value, infinity, -1e-300}) {
      c.call.eps = bad;
      c.expect_refused(plan_reason::refused_eps, "eps");
    }
    for (const void* call::*pointer : {&call::x, &call::residual}) {
      c.call = good;
      c.call.*pointer = nullptr;
      c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    }
    c.call = good;
    c.call.y = nullptr;
    c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    // What keeps a row from being moved in whole granules is named.
    c.call = good;
    c.call.request.require_vectorized = true;
    CHECK(types->plan(c.call).status == plan_status::ready);
    c.call.residual_layout = rowfold::row_layout::strided(cols + 1);
    c.expect_refused(plan_reason::refused_misaligned_stride, "residual: its row stride");
    c.call.residual_layout = {};
    c.call.sum_layout = rowfold::row_layout::strided(cols + 1);
    c.expect_refused(plan_reason::refused_misaligned_stride, "sum: its row stride");
    c.call.sum_layout = {};
    c.call.bias = static_cast<const unsigned char*>(good.x) + bytes_of(types->bias);
    c.expect_refused(plan_reason::refused_misaligned_pointer, "bias: its address");
    // A plan for other arguments.
    c.call = good;
    c.call.plan = types->plan(good);
    c.call.sum = nullptr;
    CHECK(static_cast<int>(types->run(c.call)) == static_cast<int>(cudaErrorInvalidValue));
    c.expect_untouched();
  }
}

void check_nothing_to_do(const op_list& ops) {
  for (const op_types* types : ops) {
    small_call c(*types);
    c.call.rows = 0;
    c.call.cols = 1024;
    c.expect_nothing(plan_reason::no_rows);
    c.call.rows = rows;
    c.call.cols = 0;
    c.expect_nothing(plan_reason::no_columns);
    c.call = {};
    c.expect_nothing(plan_reason::no_rows);
#if defined(__CUDACC__)
    CHECK(static_cast<int>(cudaGetLastError()) == static_cast<int>(cudaSuccess));
#endif
  }
}

}  // namespace add_norm
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Arguments of a residual addition + norm that are special: NaN and infinities, null pointers, and what is refused or asks
// for nothing.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "add_norm/checks.hpp"
#include "add_norm/run.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"

namespace rowfold_test {
namespace add_norm {
namespace {

using rowfold::plan_reason;
using rowfold::plan_status;
using rowfold::row_plan;

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

constexpr int rows = 3;
constexpr int cols = 16;

// A good call of one type set, and whether anything of its outputs has been written.
class small_call {
 public:
  explicit small_call(const op_types& types)
      : types_(types), in_(rows * cols * 8), y_(rows * cols * 8), sum_(rows * cols * 8), rstd_(rows * 8) {
    in_.fill_bytes(0);
    arguments.x = arguments.residual = arguments.gamma = arguments.beta = in_.data();
    arguments.y = y_.data();
    arguments.sum = sum_.data();
    arguments.rstd = rstd_.data();
    arguments.rows = rows;
    arguments.cols = cols;
  }

  void expect_untouched() const {
    for (const buffer<unsigned char>* memory : {&y_, &sum_, &rstd_}) {
      CHECK(memory->download() == std::vector<unsigned char>(memory->size(), 0xFF));
      CHECK(memory->canaries_intact());
    }
    CHECK(in_.download() == std::vector<unsigned char>(in_.size(), 0));
  }

  void expect_refused(plan_reason reason, const std::string& words) {
    INFO(types_.name << ", expected: " << words);
    const row_plan plan = types_.plan(arguments);
    CHECK(plan.status == plan_status::refused);
    CHECK(plan.reason == reason);
    CHECK(rowfold::to_string(plan).find(words) != std::string::npos);
    CHECK(static_cast<int>(types_.run(arguments)) == static_cast<int>(cudaErrorInvalidValue));
    CHECK(static_cast<int>(types_.run_plan(arguments, plan)) == static_cast<int>(cudaErrorInvalidValue));
    rowfold_test::sync();
    expect_untouched();
  }

  void expect_nothing(plan_reason reason) {
    INFO(types_.name << ", " << arguments.rows << " x " << arguments.cols);
    const row_plan plan = types_.plan(arguments);
    CHECK(plan.status == plan_status::nothing);
    CHECK(plan.reason == reason);
    require_success(types_.run(arguments));
    require_success(types_.run_short(arguments));
    rowfold_test::sync();
    expect_untouched();
  }

  call arguments;

 private:
  const op_types& types_;
  buffer<unsigned char> in_, y_, sum_, rstd_;
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
    const call good = c.arguments;
    c.arguments.rows = -1;
    c.expect_refused(plan_reason::refused_rows, "rows is negative");
    c.arguments = good;
    c.arguments.cols = -1;
    c.expect_refused(plan_reason::refused_cols, "columns is negative or too large");
    c.arguments = good;
    for (const double bad : {nan_value, infinity, -1e-300}) {
      c.arguments.eps = bad;
      c.expect_refused(plan_reason::refused_eps, "eps");
    }
    for (const void* call::*pointer : {&call::x, &call::residual}) {
      c.arguments = good;
      c.arguments.*pointer = nullptr;
      c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    }
    c.arguments = good;
    c.arguments.y = nullptr;
    c.expect_refused(plan_reason::refused_null_pointer, "null pointer");
    // What keeps a row from being moved in whole granules is named.
    c.arguments = good;
    c.arguments.request.require_vectorized = true;
    CHECK(types->plan(c.arguments).status == plan_status::ready);
    c.arguments.residual_layout = rowfold::row_layout::strided(cols + 1);
    c.expect_refused(plan_reason::refused_misaligned_stride, "residual: its row stride");
    c.arguments.residual_layout = {};
    c.arguments.sum_layout = rowfold::row_layout::strided(cols + 1);
    c.expect_refused(plan_reason::refused_misaligned_stride, "sum: its row stride");
    c.arguments.sum_layout = {};
    c.arguments.bias = static_cast<const unsigned char*>(good.x) + bytes_of(types->bias);
    c.expect_refused(plan_reason::refused_misaligned_pointer, "bias: its address");
    // A plan for other arguments.
    c.arguments = good;
    c.arguments.plan = types->plan(good);
    c.arguments.sum = nullptr;
    CHECK(static_cast<int>(types->run(c.arguments)) == static_cast<int>(cudaErrorInvalidValue));
    c.expect_untouched();
  }
}

void check_nothing_to_do(const op_list& ops) {
  for (const op_types* types : ops) {
    small_call c(*types);
    c.arguments.rows = 0;
    c.arguments.cols = 1024;
    c.expect_nothing(plan_reason::no_rows);
    c.arguments.rows = rows;
    c.arguments.cols = 0;
    c.expect_nothing(plan_reason::no_columns);
    c.arguments = {};
    c.expect_nothing(plan_reason::no_rows);
#if defined(__CUDACC__)
    CHECK(static_cast<int>(cudaGetLastError()) == static_cast<int>(cudaSuccess));
#endif
  }
}

}  // namespace add_norm
}  // namespace rowfold_test

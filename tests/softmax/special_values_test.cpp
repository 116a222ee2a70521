// SPDX-License-Identifier: MIT
// NaN, infinities, masked rows and numbers at the ends of the range: what becomes of their own row, and that no other
// row notices. compare() knows the rules; here are the inputs.
#include <cmath>
#include <limits>
#include <vector>

#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_rows.hpp"
#include "softmax/softmax_run.hpp"
#include "support/check.hpp"
#include "support/subnormals.hpp"

using namespace rowfold_test;

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

std::vector<double> row_of(const std::vector<double>& values, std::size_t cols, std::size_t row) {
  return {values.begin() + static_cast<std::ptrdiff_t>(row * cols),
          values.begin() + static_cast<std::ptrdiff_t>((row + 1) * cols)};
}

// Rows that see all of their columns.
softmax_input seeing_all(const softmax_set& set, std::int64_t rows, int cols) {
  softmax_input input = normal_logits(set, rows, cols);
  for (double& value : input.mask) value = std::isinf(value) ? 0 : value;
  for (long long& length : input.lengths) length = cols;
  input.offset = cols;
  return input;
}

bool all_nan(const std::vector<double>& values) {
  bool result = !values.empty();
  for (const double value : values) result = result && std::isnan(value);
  return result;
}

softmax_input one_row(const softmax_set& set, std::vector<double> x) {
  softmax_input input;
  input.set = &set;
  input.rows = 1;
  input.cols = static_cast<int>(x.size());
  input.x = std::move(x);
  return input;
}

void check_right(const softmax_input& input) {
  for (const bool reread : {false, true}) {
    softmax_placement where;
    where.request.reread = reread;
    where.x_offset = reread ? 1 : 0;
    CHECK(compare(input, run(input, where)).fault == "");
  }
}

}  // namespace

TEST_CASE("softmax: a NaN or +inf makes its row NaN, and no other row") {
  for (const softmax_set* set : softmax_sets()) {
    for (const int cols : {1, 2, 7, 33, 64, 257, 700, 1283}) {
      const softmax_input input = seeing_all(*set, 5, cols);
      const softmax_output clean = run(input);
      const auto n = static_cast<std::size_t>(cols);
      for (const std::size_t column : {std::size_t{0}, n / 2, n - 1}) {
        for (const double value : {nan_value, infinity}) {
          softmax_input spoilt = input;
          spoilt.x[2 * n + column] = value;
          softmax_placement where;
          where.request.reread = column == 0;
          const softmax_output output = run(spoilt, where);
          INFO(set->name << ", " << cols << " columns, " << value << " at " << column);
          CHECK(compare(spoilt, output).fault == "");
          CHECK(all_nan(row_of(output.y, n, 2)));
          CHECK(std::isnan(output.log_sum_exp[2]));
          for (const std::size_t other : {0, 1, 3, 4}) {
            CHECK(same_bits(row_of(output.y, n, other), row_of(clean.y, n, other)));
          }
        }
      }
    }
  }
}

TEST_CASE("softmax: -inf gives exactly 0, and lanes that hold nothing else do no harm") {
  for (const softmax_set* set : softmax_sets()) {
    if (!set->plain()) continue;
    // The last 32 of 1024 are finite; few columns, so that most threads have none; one finite value in a wide row.
    std::vector<double> x(1024, -infinity);
    for (std::size_t i = 992; i < x.size(); ++i) x[i] = 0.1 * static_cast<double>(i % 7);
    check_right(one_row(*set, x));
    check_right(one_row(*set, {-infinity, 1, -infinity, 2, 0.5}));
    if (sanitized) continue;
    x.assign(128256, -infinity);
    x[77777] = -3;
    const softmax_input wide = one_row(*set, x);
    const softmax_output output = run(wide);
    CHECK(compare(wide, output).fault == "");
    CHECK(output.y[77777] == 1.0);
    CHECK(output.log_sum_exp[0] == -3.0);
  }
}

TEST_CASE("softmax: a row of nothing but -inf is NaN or 0, as asked, and its log-sum-exp is -inf") {
  for (const softmax_set* set : softmax_sets()) {
    for (const rowfold::masked_row masked : {rowfold::masked_row::nan, rowfold::masked_row::zero}) {
      for (const int cols : {1, 8, 64, 100, 1283}) {
        softmax_input input = seeing_all(*set, 3, cols);
        input.masked = masked;
        const auto n = static_cast<std::size_t>(cols);
        for (std::size_t i = n; i < 2 * n; ++i) input.x[i] = -infinity;
        const softmax_output output = run(input);
        INFO(set->name << ", " << cols << " columns, " << static_cast<int>(masked));
        CHECK(compare(input, output).fault == "");
        CHECK(output.log_sum_exp[1] == -infinity);
        if (masked == rowfold::masked_row::nan) {
          CHECK(all_nan(row_of(output.y, n, 1)));
        } else {
          CHECK(row_of(output.y, n, 1) == std::vector<double>(n, 0.0));
        }
      }
    }
  }
}

TEST_CASE("softmax: right for every finite input, also where x * scale or a difference overflows") {
  for (const softmax_set* set : softmax_sets()) {
    if (set->masked || set->causal) continue;
    const double largest = set->x == element::float16    ? 65504
                           : set->x == element::bfloat16 ? 0x1.fep127
                           : set->x == element::float32  ? 0x1.fffffep127
                                                         : std::numeric_limits<double>::max();
    for (const double scale : {1.0, -1.0, 4.0 / largest, -2.0 / largest, 1e10, 0x1p64, 1e-30, 0.0}) {
      if (scale != 1 && !set->scaled) continue;
      if (counts_as_zero_below_normal(set->x) && scale != 0 && std::abs(scale) < 0x1p-126) continue;
      softmax_input input = one_row(*set, {largest, -largest, 0, largest / 2, -largest / 4, 1, largest, -largest});
      input.scale = scale;
      input.lengths.assign(1, input.cols);
      check_right(input);
      input = one_row(*set, {-largest, -largest, -largest / 2, -infinity});
      input.scale = scale == 0 || scale < 0 ? 1 : scale;
      input.lengths.assign(1, input.cols);
      check_right(input);
    }
  }
}

TEST_CASE("softmax: small weights are right down to the smallest subnormal number, and then 0") {
  for (const softmax_set* set : softmax_sets()) {
    if (!set->plain() || set->statistic() != element::float32) continue;
    std::vector<double> x;
    for (int i = 0; i < 600; ++i) x.push_back(-0.25 * i);
    const softmax_output output = run(one_row(*set, x));
    CHECK(compare(one_row(*set, x), output).fault == "");
    CHECK(output.y.back() == 0);
    if (set->y == element::float32 && !subnormals_are_zero) CHECK(output.y[4 * 95] > 0);  // e^-95 is subnormal
  }
}

TEST_CASE("softmax: a large common offset changes nothing") {
  for (const softmax_set* set : softmax_sets()) {
    if (set->statistic() != element::float32 || set->masked || set->x == element::float16) continue;
    // Multiples of 2^20 with small differences in units that the type has at this size.
    for (const double unit : {1.0, 4.0}) {
      softmax_input near = seeing_all(*set, 1, 100);
      near.scale = set->scaled ? 1 / unit : 1;
      for (std::size_t i = 0; i < near.x.size(); ++i) near.x[i] = unit * static_cast<double>(i % 13);
      softmax_input far = near;
      const double offset = unit * (set->x == element::bfloat16 ? 128 : 0x1p23);
      for (double& value : far.x) value += offset;
      CHECK(same_bits(run(near).y, run(far).y));
    }
  }
}

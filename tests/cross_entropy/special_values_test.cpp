// SPDX-License-Identifier: MIT
// Infinities, NaN and labels that name no column: what becomes of their own row, and that no other row notices.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "cross_entropy/reference.hpp"
#include "support/check.hpp"

using namespace cross_entropy_test;
using namespace rowfold_test;

namespace {

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

// All rows but `row` have the same bits in both.
bool others_equal(const cross_entropy_output& a, const cross_entropy_output& b, std::size_t row) {
  cross_entropy_output first = a, second = b;
  for (cross_entropy_output* each : {&first, &second}) each->loss[row] = each->lse[row] = 0;
  return same_bits(first.loss, second.loss) && same_bits(first.lse, second.lse);
}

}  // namespace

TEST_CASE("cross-entropy: a NaN or +inf makes its row NaN, and no other row") {
  for (const logit_type* type : logit_types()) {
    for (const int cols : {1, 2, 7, 33, 64, 257, 700, 2560}) {
      const cross_entropy_input input = normal_logits(*type, 5, cols);
      const cross_entropy_output clean = run(input);
      for (const int column : {0, cols / 2, cols - 1}) {
        for (const double value : {nan_value, infinity}) {
          for (const bool any : {false, true}) {
            placement where;
            where.x_offset = any ? 1 : 0;
            cross_entropy_input spoilt = input;
            spoilt.x[static_cast<std::size_t>(2 * cols + column)] = value;
            INFO(type->name << ", " << cols << " columns, " << value << " at " << column);
            const cross_entropy_output output = run(spoilt, where);
            CHECK(std::isnan(output.loss[2]));
            CHECK(std::isnan(output.lse[2]));
            CHECK(others_equal(output, clean, 2));
          }
        }
      }
    }
  }
}

TEST_CASE("cross-entropy: -inf takes no part, wherever it stands") {
  // Whole lanes of it, whole warps of it, lanes with nothing at all, one finite value among many.
  for (const logit_type* type : logit_types()) {
    for (const int cols : {5, 1024, 1030, sanitized ? 6000 : 128256}) {
      for (const int finite : {1, 32}) {
        for (const int first : {0, cols / 2, cols - finite}) {
          if (first < 0 || first + finite > cols) continue;
          cross_entropy_input input = normal_logits(*type, 1, cols);
          for (int i = 0; i < cols; ++i) {
            if (i < first || i >= first + finite) input.x[static_cast<std::size_t>(i)] = -infinity;
          }
          for (const std::int64_t label : {first, first == 0 ? cols - 1 : 0}) {
            input.labels[0] = label;
            const cross_entropy_output output = run(input);
            CHECK(compare(input, output).fault == "");
            if (label == first) CHECK(std::isfinite(output.loss[0]));
            if (label != first) CHECK(output.loss[0] == infinity);
          }
        }
      }
    }
  }
}

TEST_CASE("cross-entropy: a row of -inf alone: lse -inf, loss NaN, and no other row notices") {
  for (const logit_type* type : logit_types()) {
    for (const int cols : {1, 8, 100, 3000}) {
      cross_entropy_input input = normal_logits(*type, 3, cols);
      const cross_entropy_output clean = run(input);
      for (int i = 0; i < cols; ++i) input.x[static_cast<std::size_t>(cols + i)] = -infinity;
      for (const double smoothing : {0.0, 0.5}) {
        input.label_smoothing = smoothing;
        const cross_entropy_output output = run(input);
        CHECK(std::isnan(output.loss[1]));
        CHECK(output.lse[1] == -infinity);
        if (smoothing == 0) CHECK(others_equal(output, clean, 1));
      }
    }
  }
}

TEST_CASE("cross-entropy: smoothed labels see -inf as the formula does: the loss is +inf") {
  cross_entropy_input input = normal_logits(float_logits, 2, 100);
  input.x[7] = -infinity;
  input.label_smoothing = 0.1;
  const cross_entropy_output output = run(input);
  CHECK(output.loss[0] == infinity);
  CHECK(std::isfinite(output.lse[0]));
  CHECK(std::isfinite(output.loss[1]));
}

TEST_CASE("cross-entropy: a soft cap tames infinities as tanh does") {
  cross_entropy_input input = normal_logits(float_logits, 3, 50);
  input.soft_cap = 20;
  input.x[3] = infinity;
  input.x[53] = -infinity;
  input.x[103] = nan_value;
  const cross_entropy_output output = run(input);
  CHECK(std::isfinite(output.loss[0]));
  CHECK(output.lse[0] >= 20);
  CHECK(std::isfinite(output.loss[1]));
  CHECK(std::isnan(output.loss[2]));
  input.x.erase(input.x.begin() + 100, input.x.end());
  input.labels = {3, 3};
  input.rows = 2;
  CHECK(compare(input, run(input)).fault == "");
}

TEST_CASE(
    "cross-entropy: labels that name no column: NaN, ignored ones: exactly 0, and nothing outside the row is read",
    "[sanitize]") {
  for (const logit_type* type : logit_types()) {
    for (const bool wide : {false, true}) {
      for (const std::int64_t ignored : {std::int64_t{255}, std::int64_t{-100}, std::int64_t{2}}) {
        cross_entropy_input input = normal_logits(*type, 7, 3);
        input.labels = {0, 254, -1, 2, ignored, wide ? (std::int64_t{1} << 40) + 1 : 2147483647, 3};
        input.ignore_index = ignored;
        for (const double smoothing : {0.0, 0.3}) {
          input.label_smoothing = smoothing;
          input.z_loss = smoothing;
          placement where;
          where.wide_labels = wide;
          where.count_bytes = true;
          const cross_entropy_output output = run(input, where);
          CHECK(compare(input, output).fault == "");
          const bool last_is_ignored = ignored == 2;
          CHECK(std::isnan(output.loss[1]));
          CHECK(std::isnan(output.loss[2]));
          CHECK(output.loss[4] == 0);
          CHECK_FALSE(std::signbit(output.loss[4]));
          CHECK(std::isnan(output.loss[5]));
          CHECK(std::isnan(output.loss[6]));
          CHECK((output.loss[3] == 0) == last_is_ignored);
          CHECK(std::isfinite(output.lse[4]));
          if (on_cpu) {
            // Rows without a label's logit read one element less than the plan counts.
            const std::int64_t missing = last_is_ignored ? 6 : 5;
            CHECK(output.issued_bytes == output.plan.issued_bytes - missing * static_cast<int>(bytes_of(type->x)));
          }
        }
      }
    }
  }
}

TEST_CASE("cross-entropy: an ignored row has the loss 0 whatever its logits are") {
  for (const logit_type* type : logit_types()) {
    for (const double value : {nan_value, infinity, -infinity}) {
      cross_entropy_input input = normal_logits(*type, 2, 40);
      for (std::size_t i = 0; i < 40; ++i) input.x[i] = value;
      input.labels[0] = -100;
      input.label_smoothing = 0.1;
      input.z_loss = 0.1;
      const cross_entropy_output output = run(input);
      CHECK(output.loss[0] == 0);
      CHECK(std::isfinite(output.loss[1]));
    }
  }
}

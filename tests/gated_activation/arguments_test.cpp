// SPDX-License-Identifier: MIT
// Calls of gated activations that are refused or ask for nothing.
#include <cstdint>
#include <string>
#include <vector>

#include "gated_activation/gated_run.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"

using namespace rowfold_test;
using rowfold::plan_reason;
using rowfold::plan_status;

namespace {

constexpr int rows = 3;
constexpr int cols = 16;

// A good call, and whether anything has been written.
class small_call {
 public:
  explicit small_call(const gated_op& op) : op_(op), in_(rows * cols * 16), y_(rows * cols * 8) {
    in_.fill_bytes(0);
    arguments.gate = in_.data();
    arguments.value = op.one_tensor ? nullptr : in_.data();
    arguments.y = y_.data();
    arguments.rows = rows;
    arguments.cols = cols;
  }

  void expect_refused(plan_reason reason, const std::string& words) {
    INFO(op_.name << ", expected: " << words);
    const rowfold::row_plan plan = op_.plan(arguments);
    INFO(rowfold::to_string(plan));
    CHECK(plan.status == plan_status::refused);
    CHECK(plan.reason == reason);
    CHECK(rowfold::to_string(plan).find(words) != std::string::npos);
    CHECK(static_cast<int>(op_.run(arguments)) == static_cast<int>(cudaErrorInvalidValue));
    CHECK(static_cast<int>(op_.run_plan(arguments, plan)) == static_cast<int>(cudaErrorInvalidValue));
    expect_untouched();
  }

  void expect_nothing(plan_reason reason) {
    INFO(op_.name << ", " << arguments.rows << " x " << arguments.cols);
    const rowfold::row_plan plan = op_.plan(arguments);
    CHECK(plan.status == plan_status::nothing);
    CHECK(plan.reason == reason);
    require_success(op_.run(arguments));
    require_success(op_.run_short(arguments));
    expect_untouched();
  }

  void expect_untouched() const {
    rowfold_test::sync();
    CHECK(y_.download() == std::vector<unsigned char>(y_.size(), 0xFF));
    CHECK(y_.canaries_intact());
    CHECK(in_.download() == std::vector<unsigned char>(in_.size(), 0));
  }

  gated_call arguments;

 private:
  const gated_op& op_;
  buffer<unsigned char> in_, y_;
};

}  // namespace

TEST_CASE("gated activations: what cannot be done is refused, with its reason") {
  for (const gated_op& op : gated_ops()) {
    small_call c(op);
    const gated_call good = c.arguments;
    const auto refused = [&](plan_reason reason, const char* words) {
      c.expect_refused(reason, words);
      c.arguments = good;
    };
    c.arguments.rows = -1;
    refused(plan_reason::refused_rows, "rows is negative");
    c.arguments.cols = -1;
    refused(plan_reason::refused_cols, "columns is negative or too large");
    c.arguments.cols = 0x7fffffff;
    refused(plan_reason::refused_cols, "columns is negative or too large");
    if (op.interleaved()) {
      c.arguments.cols = 1 << 30;  // rows of 2^31 elements
      refused(plan_reason::refused_cols, "columns is negative or too large");
    }
    c.arguments.gate = nullptr;
    refused(plan_reason::refused_null_pointer, "null pointer");
    c.arguments.y = nullptr;
    refused(plan_reason::refused_null_pointer, "null pointer");
    if (!op.one_tensor) {
      c.arguments.value = nullptr;
      refused(plan_reason::refused_null_pointer, "null pointer");
    }
    // What keeps rows from being moved 16 bytes at a time is named.
    c.arguments.request.require_vectorized = true;
    CHECK(op.plan(c.arguments).status == plan_status::ready);
    c.arguments.gate_layout = rowfold::row_layout::strided(2 * cols + 1);
    refused(plan_reason::refused_misaligned_stride, op.interleaved() ? "x: its row stride" : "gate: its row stride");
    c.arguments.request.require_vectorized = true;
    c.arguments.y = static_cast<unsigned char*>(good.y) + bytes_of(op.y);
    refused(plan_reason::refused_misaligned_pointer, "y: its address");
    if (!op.one_tensor) {
      c.arguments.request.require_vectorized = true;
      c.arguments.value = static_cast<const unsigned char*>(good.value) + bytes_of(op.value);
      refused(plan_reason::refused_misaligned_pointer, "value: its address");
    }
    if (op.halves() && op.granule() > 2) {
      c.arguments.request.require_vectorized = true;
      c.arguments.cols = cols - 2;  // the second half starts between two granules
      c.arguments.gate_layout = rowfold::row_layout::strided(2 * cols);
      const bool gate_first = op.place == rowfold::gate_place::first_half;
      refused(plan_reason::refused_misaligned_pointer, gate_first ? "value: its address" : "gate: its address");
    }
    // A plan for other arguments.
    c.arguments.plan = op.plan(good);
    c.arguments.rows = rows - 1;
    CHECK(static_cast<int>(op.run(c.arguments)) == static_cast<int>(cudaErrorInvalidValue));
    c.expect_untouched();
  }
}

TEST_CASE("gated activations of no rows or columns do nothing") {
  for (const gated_op& op : gated_ops()) {
    small_call c(op);
    c.arguments.rows = 0;
    c.expect_nothing(plan_reason::no_rows);
    c.arguments.rows = rows;
    c.arguments.cols = 0;
    c.expect_nothing(plan_reason::no_columns);
    c.arguments = {};
    c.expect_nothing(plan_reason::no_rows);
  }
}

TEST_CASE("gated activations: a plan made earlier is launched as it is, and reads like what it does") {
  for (const gated_op& op : gated_ops()) {
    small_call c(op);
    c.arguments.plan = op.plan(c.arguments);
    require_success(op.run(c.arguments));
    rowfold_test::sync();
    const std::string text = rowfold::to_string(op.plan(c.arguments));
    INFO(text);
    CHECK(text.find("gated_activation of 3 rows x 16 columns") != std::string::npos);
    CHECK((text.find("rows read once and not kept: nothing of the row is folded") != std::string::npos) ==
          !op.checking());
  }
}

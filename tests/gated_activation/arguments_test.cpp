// SPDX-License-Identifier: MIT
// Calls of gated activations that are refused or ask for nothing.
#include <cstdint>
#include <string>
#include <vector>

#include "gated_activation/gated_run.hpp"
#include "rowfold/launch/plan_string.hpp"
#include "support/check.hpp"
#include "support/small_call.hpp"

using namespace rowfold_test;
using rowfold::plan_reason;
using rowfold::plan_status;

namespace {

constexpr int rows = small_rows;
constexpr int cols = small_cols;

struct small_call : small_call_of<gated_op, gated_call> {
  explicit small_call(const gated_op& op) : small_call_of(op) {
    call.gate = input(2 * sizeof(double) * rows * cols);
    call.value = op.one_tensor ? nullptr : call.gate;
    call.y = output();
  }
};

}  // namespace

TEST_CASE("gated activations: what cannot be done is refused, with its reason") {
  for (const gated_op& op : gated_ops()) {
    small_call c(op);
    const gated_call good = c.call;
    const auto refused = [&](plan_reason reason, const char* words) {
      c.expect_refused(reason, words);
      c.call = good;
    };
    c.call.rows = -1;
    refused(plan_reason::refused_rows, "rows is negative");
    c.call.cols = -1;
    refused(plan_reason::refused_cols, "columns is negative or too large");
    c.call.cols = 0x7fffffff;
    refused(plan_reason::refused_cols, "columns is negative or too large");
    if (op.interleaved()) {
      c.call.cols = 1 << 30;  // rows of 2^31 elements
      refused(plan_reason::refused_cols, "columns is negative or too large");
    }
    c.call.gate = nullptr;
    refused(plan_reason::refused_null_pointer, "null pointer");
    c.call.y = nullptr;
    refused(plan_reason::refused_null_pointer, "null pointer");
    if (!op.one_tensor) {
      c.call.value = nullptr;
      refused(plan_reason::refused_null_pointer, "null pointer");
    }
    // What keeps rows from being moved 16 bytes at a time is named.
    c.call.request.require_vectorized = true;
    CHECK(op.plan(c.call).status == plan_status::ready);
    c.call.gate_layout = rowfold::row_layout::strided(2 * cols + 1);
    refused(plan_reason::refused_misaligned_stride, op.interleaved() ? "x: its row stride" : "gate: its row stride");
    c.call.request.require_vectorized = true;
    c.call.y = static_cast<unsigned char*>(good.y) + bytes_of(op.y);
    refused(plan_reason::refused_misaligned_pointer, "y: its address");
    if (!op.one_tensor) {
      c.call.request.require_vectorized = true;
      c.call.value = static_cast<const unsigned char*>(good.value) + bytes_of(op.value);
      refused(plan_reason::refused_misaligned_pointer, "value: its address");
    }
    if (op.halves() && op.granule() > 2) {
      c.call.request.require_vectorized = true;
      c.call.cols = cols - 2;  // the second half starts between two granules
      c.call.gate_layout = rowfold::row_layout::strided(2 * cols);
      const bool gate_first = op.place == rowfold::gate_place::first_half;
      refused(plan_reason::refused_misaligned_pointer, gate_first ? "value: its address" : "gate: its address");
    }
    // A plan for other arguments.
    c.call.plan = op.plan(good);
    c.call.rows = rows - 1;
    CHECK(static_cast<int>(op.run(c.call)) == static_cast<int>(cudaErrorInvalidValue));
    c.expect_untouched();
  }
}

TEST_CASE("gated activations of no rows or columns do nothing") {
  for (const gated_op& op : gated_ops()) {
    small_call c(op);
    c.call.rows = 0;
    c.expect_nothing(plan_reason::no_rows);
    c.call.rows = rows;
    c.call.cols = 0;
    c.expect_nothing(plan_reason::no_columns);
    c.call = {};
    c.expect_nothing(plan_reason::no_rows);
  }
}

TEST_CASE("gated activations: a plan made earlier is launched as it is, and reads like what it does") {
  for (const gated_op& op : gated_ops()) {
    small_call c(op);
    c.call.plan = op.plan(c.call);
    require_success(op.run(c.call));
    rowfold_test::sync();
    const std::string text = rowfold::to_string(op.plan(c.call));
    INFO(text);
    CHECK(text.find("gated_activation of 3 rows x 16 columns") != std::string::npos);
    CHECK((text.find("rows read once and not kept: nothing of the row is folded") != std::string::npos) ==
          !op.checking());
  }
}

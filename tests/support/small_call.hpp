// SPDX-License-Identifier: MIT
// A small good call of an op for one set of types, from which tests make calls that are refused or ask for nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rowfold/launch/plan_string.hpp"
#include "support/buffer.cuh"
#include "support/check.hpp"

namespace rowfold_test {

// The shape of the call.
inline constexpr int small_rows = 3;
inline constexpr int small_cols = 16;

// Types has a name and the functions plan, run, run_plan and run_short (which may be null), of a Call.
template <class Types, class Call>
class small_call_of {
 public:
  Call call;

  void expect_untouched() const {
    sync();
    for (const memory& output : outputs_) {
      CHECK(output->download() == std::vector<unsigned char>(output->size(), 0xFF));
      CHECK(output->canaries_intact());
    }
    for (const memory& input : inputs_) CHECK(input->download() == std::vector<unsigned char>(input->size(), 0));
  }

  void expect_refused(rowfold::plan_reason reason, const std::string& words) const {
    INFO(types_.name << ", expected: " << words);
    const rowfold::row_plan plan = types_.plan(call);
    const std::string text = rowfold::to_string(plan);
    INFO(text);
    CHECK(plan.status == rowfold::plan_status::refused);
    CHECK(plan.reason == reason);
    CHECK(text.find(words) != std::string::npos);
    CHECK(static_cast<int>(types_.run(call)) == static_cast<int>(cudaErrorInvalidValue));
    CHECK(static_cast<int>(types_.run_plan(call, plan)) == static_cast<int>(cudaErrorInvalidValue));
    expect_untouched();
  }

  void expect_nothing(rowfold::plan_reason reason) const {
    INFO(types_.name << ", " << call.rows << " x " << call.cols);
    const rowfold::row_plan plan = types_.plan(call);
    CHECK(plan.status == rowfold::plan_status::nothing);
    CHECK(plan.reason == reason);
    require_success(types_.run(call));
    if (types_.run_short != nullptr) require_success(types_.run_short(call));
    expect_untouched();
  }

 protected:
  explicit small_call_of(const Types& types) : types_(types) {
    call.rows = small_rows;
    call.cols = small_cols;
  }

  // Memory of zeros that nothing writes, and memory that a call which is refused does not write.
  void* input(std::size_t bytes = sizeof(double) * small_rows * small_cols) {
    inputs_.push_back(std::make_unique<buffer<unsigned char>>(bytes));
    inputs_.back()->fill_bytes(0);
    return inputs_.back()->data();
  }
  void* output(std::size_t bytes = sizeof(double) * small_rows * small_cols) {
    outputs_.push_back(std::make_unique<buffer<unsigned char>>(bytes));
    return outputs_.back()->data();
  }

  const Types& types() const { return types_; }

 private:
  using memory = std::unique_ptr<buffer<unsigned char>>;

  const Types& types_;
  std::vector<memory> inputs_, outputs_;
};

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
#include "cross_entropy/cross_entropy_run.hpp"

#include <memory>
#include <type_traits>

#include "support/buffer.cuh"
#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/row_memory.hpp"

namespace cross_entropy_test {
namespace {

using namespace rowfold_test;

template <class Label>
std::unique_ptr<buffer<Label>> make_labels(const std::vector<std::int64_t>& values, std::size_t offset) {
  auto memory = std::make_unique<buffer<Label>>(values.size(), offset);
  memory->upload(std::vector<Label>(values.begin(), values.end()));
  return memory;
}

template <class Label>
cross_entropy_output run_labelled(const cross_entropy_input& input, const placement& where) {
  const logit_type& type = *input.type;
  INFO(type.name << ", " << input.rows << " x " << input.cols << ", " << where.name);
  row_memory x(type.x, input.rows, input.cols, where.layout, where.x_offset);
  x.set(input.x);
  x.upload();
  const auto labels = make_labels<Label>(input.labels, where.label_offset);
  const auto loss = make_unwritten(element::float32, input.rows, where.loss_offset);
  const auto lse = where.lse ? make_unwritten(element::float32, input.rows, where.lse_offset) : nullptr;

  cross_entropy_call call;
  call.logits = x.data();
  call.labels = labels->data();
  call.wide_labels = sizeof(Label) == 8;
  call.loss = static_cast<float*>(loss->data());
  call.lse = lse ? static_cast<float*>(lse->data()) : nullptr;
  call.rows = input.rows;
  call.cols = input.cols;
  call.ignore_index = input.ignore_index;
  call.label_smoothing = input.label_smoothing;
  call.z_loss = input.z_loss;
  call.soft_cap = input.soft_cap;
  call.logits_layout = where.layout;
  call.request = where.request;

  cross_entropy_output output;
  output.plan = type.plan(call);
  byte_counter counter(where.count_bytes);
  counter.watch({&x, loss.get(), lse.get()});
  counter.watch(labels->data(), labels->size() * sizeof(Label));
  require_success((where.short_call ? type.run_short : type.run)(call));
  rowfold_test::sync();
  output.issued_bytes = counter.moved();
  output.loss = loss->values();
  if (lse) output.lse = lse->values();
  REQUIRE(x.unchanged());
  REQUIRE(labels->canaries_intact());
  REQUIRE(labels->download() == std::vector<Label>(input.labels.begin(), input.labels.end()));
  return output;
}

}  // namespace

cross_entropy_output run(const cross_entropy_input& input, const placement& where) {
  return where.wide_labels ? run_labelled<std::int64_t>(input, where) : run_labelled<int>(input, where);
}

cross_entropy_input cross_entropy_input::only(std::int64_t first, std::int64_t count) const {
  cross_entropy_input result = *this;
  result.rows = count;
  result.x.assign(x.begin() + first * cols, x.begin() + (first + count) * cols);
  result.labels.assign(labels.begin() + first, labels.begin() + first + count);
  return result;
}

}  // namespace cross_entropy_test

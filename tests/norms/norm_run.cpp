// SPDX-License-Identifier: MIT
#include "norms/norm_run.hpp"

#include <memory>

#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/either_priority.hpp"
#include "support/row_memory.hpp"

namespace rowfold_test {
namespace {

// The groups' vectors of a parameter, or null.
std::unique_ptr<row_memory> make_parameter(const norm_input& input, const std::vector<double>& values, long long gap,
                                           std::size_t offset) {
  if (values.empty()) return nullptr;
  auto memory = std::make_unique<row_memory>(input.set->parameter, input.groups(), input.cols,
                                             rowfold::row_layout::strided(input.cols + gap), offset);
  memory->set(values);
  memory->upload();
  return memory;
}

void* data_of(const std::unique_ptr<row_memory>& memory) { return memory ? memory->data() : nullptr; }

}  // namespace

norm_output run(const norm_input& input, const norm_placement& where) {
  const norm_set& set = *input.set;
  INFO(set.name << ", " << input.rows << " x " << input.cols << ", " << where.name);
  row_memory x(set.x, input.rows, input.cols, where.x_layout, where.x_offset);
  x.set(input.x);
  x.upload();
  std::unique_ptr<row_memory> separate_y;
  if (!where.in_place) {
    separate_y = std::make_unique<row_memory>(set.y, input.rows, input.cols, where.y_layout, where.y_offset);
    separate_y->upload();
  }
  row_memory& y = where.in_place ? x : *separate_y;
  const auto first = make_parameter(input, input.first, where.first_gap, where.first_offset);
  const auto second = make_parameter(input, input.second, where.second_gap, where.second_offset);
  const bool statistics = where.statistics && !where.short_call;
  const auto statistic = statistics ? make_unwritten(set.statistic(), input.rows, where.statistic_offset) : nullptr;
  const auto mean =
      statistics && set.has_mean() ? make_unwritten(set.statistic(), input.rows, where.statistic_offset) : nullptr;

  norm_call call;
  call.x = x.data();
  call.first = data_of(first);
  call.second = data_of(second);
  call.y = y.data();
  call.rows = input.rows;
  call.cols = input.cols;
  call.eps = input.eps;
  call.weight_offset = input.weight_offset;
  call.rows_per_group = input.rows_per_group;
  if (where.first_gap != 0) call.first_stride = input.cols + where.first_gap;
  if (where.second_gap != 0) call.second_stride = input.cols + where.second_gap;
  call.x_layout = where.x_layout;
  call.y_layout = where.in_place ? where.x_layout : where.y_layout;
  call.mean = data_of(mean);
  call.statistic = data_of(statistic);
  call.request = where.request;

  norm_output output;
  output.plan = plan_with_either_priority(set.plan(call), call);
  const auto launch = where.short_call ? set.run_short : set.run;
  REQUIRE(launch != nullptr);
  byte_counter counter(where.count_bytes);
  counter.watch({&x, separate_y.get(), first.get(), second.get(), mean.get(), statistic.get()});
  require_success(launch(call));
  sync();
  output.issued_bytes = counter.moved();
  output.y = y.values();
  if (mean) output.mean = mean->values();
  if (statistic) output.statistic = statistic->values();
  if (!where.in_place) REQUIRE(x.unchanged());
  if (first) REQUIRE(first->unchanged());
  if (second) REQUIRE(second->unchanged());
  return output;
}

norm_input norm_input::rounded() const {
  norm_input result = *this;
  for (double& value : result.x) value = round_to(set->x, value);
  for (double& value : result.first) value = round_to(set->parameter, value);
  for (double& value : result.second) value = round_to(set->parameter, value);
  result.eps = round_to(set->statistic(), eps);
  result.weight_offset = round_to(set->statistic(), weight_offset);
  return result;
}

}  // namespace rowfold_test

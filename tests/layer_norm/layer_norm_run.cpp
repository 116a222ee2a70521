// SPDX-License-Identifier: MIT
#include "layer_norm/layer_norm_run.hpp"

#include <memory>

#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/either_priority.hpp"
#include "support/row_memory.hpp"

namespace rowfold_test {

layer_norm_output run(const layer_norm_input& input, const placement& where) {
  const type_set& types = *input.types;
  INFO(types.name << ", " << input.rows << " x " << input.cols << ", " << where.name);
  row_memory x(types.x, input.rows, input.cols, where.x_layout, where.x_offset);
  x.set(input.x);
  x.upload();
  std::unique_ptr<row_memory> separate_y;
  if (!where.in_place) {
    separate_y = std::make_unique<row_memory>(types.y, input.rows, input.cols, where.y_layout, where.y_offset);
    separate_y->upload();
  }
  row_memory& y = where.in_place ? x : *separate_y;
  const auto gamma = make_vector(types.parameter, input.gamma, where.gamma_offset);
  const auto beta = make_vector(types.parameter, input.beta, where.beta_offset);
  const auto mean = where.statistics ? make_unwritten(types.statistic(), input.rows, where.mean_offset) : nullptr;
  const auto rstd = where.statistics ? make_unwritten(types.statistic(), input.rows, where.rstd_offset) : nullptr;

  layer_norm_call call;
  call.x = x.data();
  call.gamma = gamma ? gamma->data() : nullptr;
  call.beta = beta ? beta->data() : nullptr;
  call.y = y.data();
  call.rows = input.rows;
  call.cols = input.cols;
  call.eps = input.eps;
  call.x_layout = where.x_layout;
  call.y_layout = where.in_place ? where.x_layout : where.y_layout;
  call.mean = mean ? mean->data() : nullptr;
  call.rstd = rstd ? rstd->data() : nullptr;
  call.request = where.request;

  layer_norm_output output;
  output.plan = plan_with_either_priority(types.plan(call), call);
  const auto launch = where.fast ? types.run_fast : where.short_call ? types.run_short : types.run;
  REQUIRE(launch != nullptr);
  byte_counter counter(where.count_bytes);
  counter.watch({&x, separate_y.get(), gamma.get(), beta.get(), mean.get(), rstd.get()});
  require_success(launch(call));
  sync();
  output.issued_bytes = counter.moved();
  output.y = y.values();
  if (mean) output.mean = mean->values();
  if (rstd) output.rstd = rstd->values();
  if (!where.in_place) REQUIRE(x.unchanged());
  if (gamma) REQUIRE(gamma->unchanged());
  if (beta) REQUIRE(beta->unchanged());
  return output;
}

layer_norm_input layer_norm_input::rounded() const {
  layer_norm_input result = *this;
  for (double& value : result.x) value = round_to(types->x, value);
  for (double& value : result.gamma) value = round_to(types->parameter, value);
  for (double& value : result.beta) value = round_to(types->parameter, value);
  result.eps = round_to(types->statistic(), eps);
  return result;
}

layer_norm_input layer_norm_input::only(std::int64_t first, std::int64_t count) const {
  layer_norm_input result = *this;
  result.rows = count;
  result.x.assign(x.begin() + first * cols, x.begin() + (first + count) * cols);
  return result;
}

}  // namespace rowfold_test

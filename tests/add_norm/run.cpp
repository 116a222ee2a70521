// SPDX-License-Identifier: MIT
#include "add_norm/run.hpp"

#include <memory>
#include <random>

#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/either_priority.hpp"
#include "support/row_memory.hpp"
#include "support/seed.hpp"

namespace rowfold_test {
namespace add_norm {
namespace {

// The tensors of one run.
struct tensors {
  tensors(const input& in, const placement& where)
      : x(in.types->x, in.rows, in.cols, where.x_layout, where.x_offset),
        residual(in.types->residual, in.rows, in.cols, where.residual_layout, where.residual_offset),
        bias(make_vector(in.types->bias, in.bias, where.bias_offset)),
        gamma(make_vector(in.types->parameter, in.gamma, where.gamma_offset)),
        beta(make_vector(in.types->parameter, in.beta, where.beta_offset)) {
    x.set(in.x);
    x.upload();
    residual.set(in.residual);
    residual.upload();
    y = find(where.y, in.types->y, in, where.y_layout, where.y_offset, own_y);
    sum = find(where.sum, in.types->sum, in, where.sum_layout, where.sum_offset, own_sum);
    if (!where.statistics) return;
    if (in.types->has_mean) mean = make_unwritten(in.types->statistic(), in.rows, 0);
    rstd = make_unwritten(in.types->statistic(), in.rows, where.rstd_offset);
  }

  row_memory x, residual;
  std::unique_ptr<row_memory> bias, gamma, beta, own_y, own_sum, mean, rstd;
  row_memory* y = nullptr;
  row_memory* sum = nullptr;

 private:
  row_memory* find(place at, element type, const input& in, const rowfold::row_layout& layout, std::size_t offset,
                   std::unique_ptr<row_memory>& own) {
    if (at == place::over_x) return &x;
    if (at == place::over_residual) return &residual;
    if (at == place::nowhere) return nullptr;
    own = std::make_unique<row_memory>(type, in.rows, in.cols, layout, offset);
    own->upload();
    return own.get();
  }
};

const rowfold::row_layout& layout_of(place at, const rowfold::row_layout& own, const placement& where) {
  return at == place::over_x ? where.x_layout : at == place::over_residual ? where.residual_layout : own;
}

call make_call(const input& in, const placement& where, tensors& t) {
  const auto data = [](row_memory* memory) { return memory != nullptr ? memory->data() : nullptr; };
  call c;
  c.x = t.x.data();
  c.residual = t.residual.data();
  c.bias = data(t.bias.get());
  c.gamma = data(t.gamma.get());
  c.beta = data(t.beta.get());
  c.y = data(t.y);
  c.sum = data(t.sum);
  c.rows = in.rows;
  c.cols = in.cols;
  c.eps = in.eps;
  c.weight_offset = in.weight_offset;
  c.x_layout = where.x_layout;
  c.residual_layout = where.residual_layout;
  c.y_layout = layout_of(where.y, where.y_layout, where);
  c.sum_layout = layout_of(where.sum, where.sum_layout, where);
  c.mean = data(t.mean.get());
  c.rstd = data(t.rstd.get());
  c.request = where.request;
  return c;
}

std::vector<double> random_normal(std::size_t count, std::uint64_t stream) {
  std::mt19937_64 engine(seed() * 0x9E3779B97F4A7C15u + stream);  // an odd multiplier: near seeds start far apart
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(engine);
  return values;
}

}  // namespace

bool may_lie(const op_types& types, const placement& where) {
  const auto fits = [&](place at, element type) {
    return at == place::over_x ? type == types.x : at == place::over_residual ? type == types.residual : true;
  };
  return fits(where.y, types.y) && fits(where.sum, types.sum);
}

output run(const input& in, const placement& where) {
  const op_types& types = *in.types;
  INFO(types.name << ", " << in.rows << " x " << in.cols << ", " << where.name);
  REQUIRE(may_lie(types, where));
  tensors t(in, where);
  call c = make_call(in, where, t);
  output out;
  out.plan = plan_with_either_priority(types.plan(c), c);
  const auto launch = where.full ? types.run_full : where.short_call ? types.run_short : types.run;
  REQUIRE(launch != nullptr);
  byte_counter counter(where.count_bytes);
  counter.watch({&t.x, &t.residual, t.bias.get(), t.gamma.get(), t.beta.get(), t.own_y.get(), t.own_sum.get(),
                 t.mean.get(), t.rstd.get()});
  require_success(launch(c));
  sync();
  out.issued_bytes = counter.moved();
  out.y = t.y->values();
  if (t.sum != nullptr) out.sum = t.sum->values();
  if (t.mean) out.mean = t.mean->values();
  if (t.rstd) out.rstd = t.rstd->values();
  if (where.y != place::over_x && where.sum != place::over_x) REQUIRE(t.x.unchanged());
  if (where.y != place::over_residual && where.sum != place::over_residual) REQUIRE(t.residual.unchanged());
  for (const row_memory* vector : {t.bias.get(), t.gamma.get(), t.beta.get()}) {
    if (vector != nullptr) REQUIRE(vector->unchanged());
  }
  return out;
}

input input::only(std::int64_t first, std::int64_t count) const {
  input result = *this;
  result.rows = count;
  result.x.assign(x.begin() + first * cols, x.begin() + (first + count) * cols);
  result.residual.assign(residual.begin() + first * cols, residual.begin() + (first + count) * cols);
  return result;
}

std::vector<double> sums_of(const input& in, bool stored) {
  const op_types& types = *in.types;
  std::vector<double> sums;
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    // Two floats have a sum that double holds well enough to round it to float as if it were exact.
    const auto add = [&](double a, double b) { return round_to(types.statistic(), a + b); };
    double sum = round_to(types.x, in.x[i]);
    if (!in.bias.empty()) sum = add(sum, round_to(types.bias, in.bias[i % static_cast<std::size_t>(in.cols)]));
    sum = add(sum, round_to(types.residual, in.residual[i]));
    sums.push_back(stored ? round_to(types.sum, sum) : sum);
  }
  return sums;
}

input normal_rows(const op_types& types, std::int64_t rows, int cols, bool with_bias, std::uint64_t stream) {
  const auto width = static_cast<std::size_t>(cols);
  const std::size_t count = static_cast<std::size_t>(rows) * width;
  input in;
  in.types = &types;
  in.rows = rows;
  in.cols = cols;
  in.x = random_normal(count, 8 * stream);
  in.residual = random_normal(count, 8 * stream + 1);
  if (with_bias) in.bias = random_normal(width, 8 * stream + 2);
  in.gamma = random_normal(width, 8 * stream + 3);
  in.beta = random_normal(width, 8 * stream + 4);
  return in;
}

}  // namespace add_norm
}  // namespace rowfold_test

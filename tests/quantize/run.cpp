// SPDX-License-Identifier: MIT
#include "quantize/run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "quantize/reference.hpp"
#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/either_priority.hpp"
#include "support/row_memory.hpp"
#include "support/seed.hpp"

namespace rowfold_test {
namespace quantize {
namespace {

using rowfold::row_layout;

std::unique_ptr<row_memory> make_rows(element type, const input& in, const row_layout& layout, std::size_t offset,
                                      const std::vector<double>& values = {}) {
  auto memory = std::make_unique<row_memory>(type, in.rows, in.cols, layout, offset);
  if (!values.empty()) memory->set(values);
  memory->upload();
  return memory;
}

// The scales as rows of memory: as many rows as the op has rows, or with scales_by_group as many as it has groups.
std::unique_ptr<row_memory> make_scales(const input& in, const placement& where) {
  if (in.types->mode == quantize_scale::given) return make_vector(element::float32, {in.given}, where.scale_offset);
  const int scales = in.types->scales(in.cols);
  std::unique_ptr<row_memory> memory;
  if (where.scales_by_group) {
    memory = std::make_unique<row_memory>(element::float32, scales, static_cast<int>(in.rows),
                                          row_layout::strided(in.rows + 1), where.scale_offset);
  } else {
    memory = std::make_unique<row_memory>(element::float32, in.rows, scales, row_layout{}, where.scale_offset);
  }
  memory->upload();
  return memory;
}

// The tensors of one run. An op has those that it needs.
struct tensors {
  tensors(const input& in, const placement& where)
      : x(make_rows(in.types->x, in, where.x_layout, where.x_offset, in.x)),
        q(make_rows(element::byte, in, where.q_layout, where.q_offset)),
        scale(make_scales(in, where)) {
    if (in.types->norm == before::nothing) return;
    if (in.types->has_second()) {
      residual = make_rows(in.types->residual, in, where.residual_layout, where.residual_offset, in.residual);
    }
    if (where.y && !where.short_call) y = make_rows(element::float32, in, where.y_layout, where.y_offset);
    if (!in.types->has_norm()) return;
    gamma = make_vector(in.types->gamma, in.gamma, where.gamma_offset);
    if (!where.short_call) rstd = make_unwritten(element::float32, in.rows, 0);
    if (in.types->norm == before::rms_norm) return;
    if (where.sum && !where.sum_over_residual) {
      own_sum = make_rows(in.types->sum, in, where.sum_layout, where.sum_offset);
    }
    sum = where.sum_over_residual ? residual.get() : own_sum.get();
  }

  std::unique_ptr<row_memory> x, residual, gamma, q, scale, y, own_sum, rstd;
  row_memory* sum = nullptr;
};

call make_call(const input& in, const placement& where, tensors& t) {
  const auto data = [](row_memory* memory) { return memory != nullptr ? memory->data() : nullptr; };
  call c;
  c.x = data(t.x.get());
  c.residual = data(t.residual.get());
  c.gamma = data(t.gamma.get());
  c.q = data(t.q.get());
  c.scale = data(t.scale.get());
  c.y = data(t.y.get());
  c.sum = data(t.sum);
  c.rstd = data(t.rstd.get());
  c.rows = in.rows;
  c.cols = in.cols;
  c.eps = in.eps;
  c.power_of_two = in.power_of_two;
  c.x_layout = where.x_layout;
  c.residual_layout = where.residual_layout;
  c.q_layout = where.q_layout;
  c.y_layout = where.y_layout;
  c.sum_layout = where.sum_over_residual ? where.residual_layout : where.sum_layout;
  if (where.scales_by_group) {
    c.scale_row_stride = 1;
    c.scale_group_stride = in.rows + 1;
  }
  c.request = where.request;
  return c;
}

std::vector<double> scales_of(const input& in, const placement& where, const row_memory& memory) {
  const std::vector<double> stored = memory.values();
  if (in.types->mode == quantize_scale::given || !where.scales_by_group) return stored;
  std::vector<double> result;
  const auto groups = static_cast<std::size_t>(in.types->scales(in.cols));
  const auto rows = static_cast<std::size_t>(in.rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t group = 0; group < groups; ++group) result.push_back(stored[group * rows + row]);
  }
  return result;
}

std::vector<double> random_normal(std::size_t count, std::uint64_t stream) {
  std::mt19937_64 engine(seed() * 0x9E3779B97F4A7C15u + stream);  // an odd multiplier: near seeds start far apart
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(engine);
  return values;
}

}  // namespace

output run(const input& in, const placement& where) {
  const op_types& types = *in.types;
  INFO(types.name << ", " << in.rows << " x " << in.cols << ", " << where.name);
  tensors t(in, where);
  call c = make_call(in, where, t);
  output out;
  out.plan = plan_with_either_priority(types.plan(c), c);
  const auto launch = where.short_call ? types.run_short : types.run;
  REQUIRE(launch != nullptr);
  byte_counter counter(where.count_bytes);
  counter.watch(
      {t.x.get(), t.residual.get(), t.gamma.get(), t.q.get(), t.scale.get(), t.y.get(), t.own_sum.get(), t.rstd.get()});
  require_success(launch(c));
  sync();
  out.issued_bytes = counter.moved();
  out.q = t.q->values();
  out.scale = scales_of(in, where, *t.scale);
  if (t.y) out.y = t.y->values();
  if (t.sum != nullptr) out.sum = t.sum->values();
  if (t.rstd) out.rstd = t.rstd->values();
  REQUIRE(t.x->unchanged());
  if (t.residual && t.sum != t.residual.get()) REQUIRE(t.residual->unchanged());
  if (t.gamma) REQUIRE(t.gamma->unchanged());
  if (types.mode == quantize_scale::given) REQUIRE(t.scale->unchanged());
  return out;
}

input input::only(std::int64_t first, std::int64_t count) const {
  input result = *this;
  result.rows = count;
  result.x.assign(x.begin() + first * cols, x.begin() + (first + count) * cols);
  if (!residual.empty()) {
    result.residual.assign(residual.begin() + first * cols, residual.begin() + (first + count) * cols);
  }
  return result;
}

input normal_rows(const op_types& types, std::int64_t rows, int cols, std::uint64_t stream) {
  const auto width = static_cast<std::size_t>(cols);
  const std::size_t count = static_cast<std::size_t>(rows) * width;
  input in;
  in.types = &types;
  in.rows = rows;
  in.cols = cols;
  in.x = random_normal(count, 4 * stream);
  if (types.has_norm()) in.gamma = random_normal(width, 4 * stream + 1);
  if (types.has_second()) in.residual = random_normal(count, 4 * stream + 2);
  return in;
}

std::vector<double> norm_input(const input& in) {
  std::vector<double> values;
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    double value = round_to(in.types->x, in.x[i]);
    if (in.types->norm == before::add_rms_norm) {
      // Two floats have a sum that double holds well enough to round it to float as if it were exact.
      value = round_to(element::float32, value + round_to(in.types->residual, in.residual[i]));
      value = round_to(in.types->sum, value);
    }
    values.push_back(value);
  }
  return values;
}

namespace {

// Notes an error in the worst so far; whether it is at most the bound.
bool within(double bound, double error, double& worst) {
  if (!(error <= worst)) worst = error;
  return error <= bound;
}

std::string first_fault(const input& in, const output& found, judgement& worst) {
  const op_types& types = *in.types;
  const std::vector<double> values = norm_input(in);
  if (types.norm == before::add_rms_norm && !found.sum.empty() && !same_bits(found.sum, values)) return "sum";
  std::vector<double> quantised = values;
  if (types.norm != before::nothing) {
    if (found.y.empty()) return "nothing to compare with: y was not stored";
    quantised = found.y;
  }
  if (types.norm == before::swiglu) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double gate = values[i];
      const double factor = round_to(types.residual, in.residual[i]);
      const double y = gate / (1 + std::exp(-gate)) * factor;
      if (!std::isfinite(y)) continue;  // what becomes of such elements is SwiGLU's own matter
      // The bound of a gated activation: the activation's 4 ulp, and the rounding of the product.
      const double unit = ulp(element::float32, std::max(std::abs(y), std::abs(gate * factor) * 0x1p-10));
      if (!within(5, std::abs(found.y[i] - y) / unit, worst.worst_y)) return "y";
    }
  }
  if (types.has_norm()) {
    const auto cols = static_cast<std::size_t>(in.cols);
    for (std::size_t row = 0; row < static_cast<std::size_t>(in.rows); ++row) {
      double squares = 0;
      for (std::size_t i = 0; i < cols; ++i) squares += values[row * cols + i] * values[row * cols + i];
      const double rstd = 1 / std::sqrt(squares / static_cast<double>(in.cols) + in.eps);
      if (!std::isfinite(rstd) || rstd == 0) continue;  // what becomes of such rows is RMSNorm's own matter
      const double rstd_error = std::abs(found.rstd[row] - rstd) / ulp(element::float32, rstd);
      if (!within(4, rstd_error, worst.worst_rstd)) return "rstd";
      for (std::size_t i = 0; i < cols; ++i) {
        const double gamma = in.gamma.empty() ? 1 : round_to(types.gamma, in.gamma[i]);
        const double y = values[row * cols + i] * rstd * gamma;
        const double unit = ulp(element::float32, std::max(std::abs(y), std::abs(gamma)));
        if (!within(8, std::abs(found.y[row * cols + i] - y) / unit, worst.worst_y)) return "y";
      }
    }
  }
  const quantized expected = quantize_rows(types, quantised, in.cols, in.given, in.power_of_two);
  if (!same_bits(found.scale, expected.scale)) {
    for (std::size_t i = 0; i < expected.scale.size(); ++i) {
      const bool both_nan = std::isnan(expected.scale[i]) && std::isnan(found.scale[i]);
      if (found.scale[i] != expected.scale[i] && !both_nan) return "scale " + std::to_string(i);
    }
  }
  for (std::size_t i = 0; i < expected.q.size(); ++i) {
    if (found.q[i] != expected.q[i]) return "code " + std::to_string(i);
  }
  return "";
}

}  // namespace

std::string fault(const input& in, const output& found) { return judge(in, found).fault; }

judgement judge(const input& in, const output& found) {
  judgement result;
  result.fault = first_fault(in, found, result);
  return result;
}

}  // namespace quantize
}  // namespace rowfold_test

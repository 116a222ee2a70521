// SPDX-License-Identifier: MIT
#include "gated_activation/gated_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "rowfold/launch/plan_string.hpp"
#include "support/byte_counter.hpp"
#include "support/check.hpp"
#include "support/either_priority.hpp"
#include "support/row_memory.hpp"
#include "support/seed.hpp"
#include "support/subnormals.hpp"

namespace rowfold_test {
namespace {

rowfold::row_layout layout_of(gated_layout kind, int width) {
  switch (kind) {
    case gated_layout::packed:
      break;
    case gated_layout::padded:
      return rowfold::row_layout::strided(width + 3);
    case gated_layout::padded_to_16_bytes:
      return rowfold::row_layout::strided((width + 15) / 8 * 8);
    case gated_layout::upwards:
      return rowfold::row_layout::strided(-width - 1);
    case gated_layout::groups:
      return rowfold::row_layout::nested(2, width + 8, 3 * width + 24);
  }
  return {};
}

// The tensors of one run.
struct gated_memory {
  gated_memory(const gated_op& op, const gated_input& in, const gated_placement& where)
      : gate(op.gate, in.rows, op.one_tensor ? 2 * in.cols : in.cols,
             layout_of(where.gate, op.one_tensor ? 2 * in.cols : in.cols), where.gate_offset) {
    if (op.one_tensor) {
      std::vector<double> both(2 * in.gate.size());
      for (std::size_t row = 0; row < static_cast<std::size_t>(in.rows); ++row) {
        for (int c = 0; c < in.cols; ++c) {
          const std::size_t from = row * static_cast<std::size_t>(in.cols) + static_cast<std::size_t>(c);
          const std::size_t to = 2 * row * static_cast<std::size_t>(in.cols);
          both[to + static_cast<std::size_t>(op.gate_column(c, in.cols))] = in.gate[from];
          both[to + static_cast<std::size_t>(op.value_column(c, in.cols))] = in.value[from];
        }
      }
      gate.set(both);
    } else {
      gate.set(in.gate);
      value =
          std::make_unique<row_memory>(op.value, in.rows, in.cols, layout_of(where.value, in.cols), where.value_offset);
      value->set(in.value);
      value->upload();
    }
    gate.upload();
    if (where.target == gated_target::apart) {
      y = std::make_unique<row_memory>(op.y, in.rows, in.cols, layout_of(where.y, in.cols), where.y_offset);
      y->upload();
    }
  }

  row_memory gate;  // or gate and value
  std::unique_ptr<row_memory> value, y;
};

gated_call make_call(const gated_op& op, const gated_input& in, const gated_placement& where, gated_memory& memory) {
  gated_call c;
  c.gate = memory.gate.data();
  c.value = memory.value ? memory.value->data() : nullptr;
  c.rows = in.rows;
  c.cols = in.cols;
  c.gate_layout = layout_of(where.gate, op.one_tensor ? 2 * in.cols : in.cols);
  c.value_layout = layout_of(where.value, in.cols);
  c.request = where.request;
  if (memory.y) {
    c.y = memory.y->data();
    c.y_layout = layout_of(where.y, in.cols);
  } else if (op.one_tensor) {
    const bool over_gate = where.target == gated_target::over_gate;
    const int column = over_gate ? op.gate_column(0, in.cols) : op.value_column(0, in.cols);
    c.y = memory.gate.address(0) + static_cast<std::size_t>(column) * bytes_of(op.gate);
    c.y_layout = where.gate == gated_layout::packed ? rowfold::row_layout::strided(2 * in.cols) : c.gate_layout;
  } else {
    const bool over_gate = where.target == gated_target::over_gate;
    c.y = over_gate ? memory.gate.data() : memory.value->data();
    c.y_layout = over_gate ? c.gate_layout : c.value_layout;
  }
  return c;
}

// The results, and that nothing else has changed.
std::vector<double> results(const gated_op& op, const gated_input& in, const gated_placement& where,
                            const gated_memory& memory) {
  if (where.target != gated_target::over_gate && !(op.one_tensor && where.target == gated_target::over_value)) {
    REQUIRE(memory.gate.unchanged());
  }
  if (memory.value && where.target != gated_target::over_value) REQUIRE(memory.value->unchanged());
  if (memory.y) return memory.y->values();
  if (!op.one_tensor) return (where.target == gated_target::over_gate ? memory.gate : *memory.value).values();
  const std::vector<double> both = memory.gate.values();
  std::vector<double> y;
  bool other_half_intact = true;
  for (std::size_t i = 0; i < in.gate.size(); ++i) {
    const int column = static_cast<int>(i % static_cast<std::size_t>(in.cols));
    const std::size_t row = 2 * (i - static_cast<std::size_t>(column));
    const double at_gate = both[row + static_cast<std::size_t>(op.gate_column(column, in.cols))];
    const double at_value = both[row + static_cast<std::size_t>(op.value_column(column, in.cols))];
    const bool over_gate = where.target == gated_target::over_gate;
    y.push_back(over_gate ? at_gate : at_value);
    const double left = over_gate ? round_to(op.value, in.value[i]) : round_to(op.gate, in.gate[i]);
    other_half_intact = other_half_intact && (over_gate ? at_value : at_gate) == left;
  }
  REQUIRE(other_half_intact);
  return y;
}

}  // namespace

std::string gated_placement::text() const {
  const auto number = [](auto n) { return std::to_string(static_cast<int>(n)); };
  return "offsets " + number(gate_offset) + " " + number(value_offset) + " " + number(y_offset) + ", layouts " +
         number(gate) + " " + number(value) + " " + number(y) + ", target " + number(target) + ", staged " +
         number(request.staged) + ", reread " + number(request.reread) + ", any " + number(request.any_access) +
         ", lanes " + number(request.lanes);
}

bool may_lie(const gated_op& op, gated_target target) {
  if (target == gated_target::apart) return true;
  return !op.interleaved() && (target == gated_target::over_gate ? op.gate : op.value) == op.y;
}

gated_output run(const gated_op& op, const gated_input& in, const gated_placement& where) {
  INFO(op.name << ", " << in.rows << " x " << in.cols << ", " << where.text());
  REQUIRE(may_lie(op, where.target));
  gated_memory memory(op, in, where);
  gated_call c = make_call(op, in, where, memory);
  gated_output out;
  out.plan = plan_with_either_priority(op.plan(c), c);
  INFO(rowfold::to_string(out.plan));
  {
    byte_counter counter;
    counter.watch({&memory.gate, memory.value.get(), memory.y.get()});
    require_success(where.short_call ? op.run_short(c) : op.run(c));
    sync();
    const std::int64_t moved = counter.moved();
    if (on_cpu) REQUIRE(moved == out.plan.issued_bytes);
  }
  out.y = results(op, in, where, memory);
  return out;
}

gated_input normal_gates(std::int64_t rows, int cols, std::uint64_t stream) {
  std::mt19937_64 engine(seed() * 0x9E3779B97F4A7C15u + stream);  // an odd multiplier: near seeds start far apart
  std::normal_distribution<double> normal;
  gated_input in;
  in.rows = rows;
  in.cols = cols;
  for (std::int64_t i = 0; i < rows * cols; ++i) {
    in.gate.push_back(3 * normal(engine));
    in.value.push_back(normal(engine));
  }
  return in;
}

gated_judgement judge(const gated_op& op, const gated_input& in, const std::vector<double>& y) {
  gated_judgement result;
  REQUIRE(y.size() == in.gate.size());
  const bool keeps_subnormals = on_cpu && !subnormals_are_zero;
  const element computed = op.checking() ? element::float64 : element::float32;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double gate = round_to(op.gate, in.gate[i]);
    const double value = round_to(op.value, in.value[i]);
    const long double wanted = op.activation(gate) * value;
    const double exact = static_cast<double>(wanted);
    if (y[i] == exact) continue;
    double error = 0;
    bool good = true;
    if (std::isnan(exact) || std::isinf(exact)) {
      good = std::isnan(exact) ? std::isnan(y[i]) : y[i] == exact;
    } else if (bytes_of(op.y) == 2) {
      // An activated gate below 2^-125 times the gate may count as zero, and a subnormal one has fewer digits.
      if (std::abs(y[i] - exact) <= std::max(0x1p-125 * std::abs(gate * value), 0x1p-149 * std::abs(value))) continue;
      if (counts_as_zero_below_normal(op.y) && std::abs(exact) < 0x1p-126 && y[i] == 0) continue;
      error = std::isnan(y[i]) ? HUGE_VAL : steps_between(op.y, y[i], round_to(op.y, exact));
      good = error <= 1;
    } else {
      const double activated = std::abs(static_cast<double>(op.activation(gate)));
      const double unit = ulp(computed, std::max(activated, std::abs(gate) * 0x1p-10)) * std::abs(value);
      // An activated gate that is subnormal has fewer digits, and --use_fast_math counts it as zero, and y too.
      const double step = op.checking() ? 0x1p-1074 : keeps_subnormals ? 0x1p-149 : 0x1p-126;
      const double subnormal = step * std::max(keeps_subnormals ? 0.0 : 1.0, std::abs(value));
      const double distance = std::abs(static_cast<double>(static_cast<long double>(y[i]) - wanted));
      error = std::max(0.0, distance - subnormal - ulp(computed, exact) / 2) / unit;
      good = error <= 4;
    }
    if (good) result.worst = std::max(result.worst, error);
    if (!good && result.fault.empty()) {
      result.fault = std::string(op.name) + ": gate " + std::to_string(gate) + ", value " + std::to_string(value) +
                     ": " + std::to_string(y[i]) + " for " + std::to_string(exact) + ", error " + std::to_string(error);
    }
  }
  return result;
}

}  // namespace rowfold_test

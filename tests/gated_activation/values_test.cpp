// SPDX-License-Identifier: MIT
// The values of gated activations: random ones of every size within the bound, and which of the two arguments is
// activated.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gated_activation/gated_run.hpp"
#include "support/accuracy_table.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"
#include "support/subnormals.hpp"

using namespace rowfold_test;

namespace {

// Factors of normal gates and values, and what they are called.
struct sweep {
  const char* name;
  double gate, value;
  double spoilt = 1;  // the factor of one gate and of another value of each row
};
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Of ops that compute in float. Half has its own sizes: the largest is 65504, the smallest 2^-24.
std::vector<sweep> sweeps(const gated_op& op) {
  const bool half = op.gate == element::float16 || op.value == element::float16 || op.y == element::float16;
  if (half) {
    return {{"well scaled", 1, 1},         {"large gate", 30, 1},        {"tiny gate", 0x1p-9, 1},
            {"denormal", 0x1p-17, 0x1p-3}, {"infinity", 1, 1, infinite}, {"NaN", 1, 1, not_a_number}};
  }
  if (op.checking()) {
    return {{"well scaled", 1, 1},      {"large gate", 200, 1e3},     {"tiny gate", 0x1p-200, 1},
            {"huge value", 1, 0x1p900}, {"infinity", 1, 1, infinite}, {"NaN", 1, 1, not_a_number}};
  }
  return {{"well scaled", 1, 1},
          {"large gate", 30, 1},
          {"huge", 0x1p60, 0x1p60},
          {"tiny gate", 0x1p-60, 1},
          {"huge value", 1, 0x1p120},
          {"tiny value", 1, 0x1p-60},
          {"denormal gate", 0x1p-133, 0x1p20},
          {"denormal value", 1, subnormals_are_zero ? 0x1p-100 : 0x1p-133},
          {"infinity", 1, 1, infinite},
          {"NaN", 1, 1, not_a_number}};
}

// Row 0 alone, element by element.
std::vector<double> results(const gated_op& op, const std::vector<double>& gate, const std::vector<double>& value) {
  return run(op, {1, static_cast<int>(gate.size()), gate, value}).y;
}

}  // namespace

TEST_CASE("gated activations are within their bound") {
  accuracy_table table("gated_activation",
                       "well scaled, large, tiny, huge and denormal gates and values, infinities and NaN (no element "
                       "depends on another)",
                       "float and double: the activated gate's, in ulp at max(|activation(gate)|, |gate| 2^-10), bound "
                       "4; 16-bit types: steps from the nearest value, bound 1");
  for (const gated_op& op : gated_ops()) {
    std::uint64_t stream = 0;
    for (const sweep& kind : sweeps(op)) {
      if (subnormals_are_zero && std::string(kind.name) == "denormal gate") continue;
      const bool plain = kind.gate == 1 && kind.value == 1 && kind.spoilt == 1;
      for (const int cols : {37, 64, 800, 4096, 17000}) {
        if (op.checking() && cols > 1000) continue;
        if (cols > 4096 && (few_gated_widths || !plain)) continue;
        gated_input in = normal_gates(cols > 1000 ? 2 : 4, cols, ++stream);
        for (double& gate : in.gate) gate *= kind.gate;
        for (double& value : in.value) value *= kind.value;
        for (std::size_t i = 0; i < in.gate.size(); i += static_cast<std::size_t>(cols)) {
          in.gate[i + 2] *= kind.spoilt;
          in.value[i + 30] *= kind.spoilt;
        }
        const gated_judgement found = judge(op, in, run(op, in).y);
        INFO(kind.name);
        CHECK(found.fault == "");
        table.add(op.name, cols, found.worst);
      }
    }
  }
  table.write();
}

TEST_CASE("the gate is activated, the value is not") {
  for (const gated_op& op : gated_ops()) {
    const std::vector<double> gate = {2, -2, 0, 4, -1}, value = {-3, 5, 7, 1, -8};
    const std::vector<double> y = results(op, gate, value);
    for (std::size_t i = 0; i < gate.size(); ++i) {
      const auto activation = [&](double x) { return static_cast<double>(op.activation(x)); };
      INFO(op.name << ", element " << i);
      CHECK(std::abs(y[i] - activation(gate[i]) * value[i]) <= 0.03 * std::abs(value[i]));
      const double swapped = activation(value[i]) * gate[i];
      if (i < 2) CHECK(std::abs(y[i] - swapped) > 0.05);
    }
  }
}

TEST_CASE("gated activations of NaN and infinities concern their element alone") {
  for (const gated_op& op : gated_ops()) {
    for (const int cols : {9, 64, 257}) {
      const gated_input in = normal_gates(3, cols);
      const std::vector<double> clean = run(op, in).y;
      for (const int column : {0, cols / 2, cols - 1}) {
        const std::size_t at = static_cast<std::size_t>(cols + column);
        const auto with = [&](double gate, double value) {
          gated_input spoilt = in;
          spoilt.gate[at] = gate;
          spoilt.value[at] = value;
          std::vector<double> y = run(op, spoilt).y;
          const double found = y[at];
          y[at] = clean[at];
          CHECK(same_bits(y, clean));
          return found;
        };
        INFO(op.name << ", " << cols << " columns, column " << column);
        CHECK(std::isnan(with(not_a_number, 1)));
        CHECK(std::isnan(with(1, not_a_number)));
        CHECK(with(1, infinite) == infinite);
        CHECK(with(1, -infinite) == -infinite);
        CHECK(with(-infinite, 1) == 0);  // the limit of every activation here
        CHECK(std::isnan(with(-infinite, infinite)));
        CHECK(with(infinite, -2) == static_cast<double>(-2 * op.activation(static_cast<long double>(infinite))));
        const double at_zero = static_cast<double>(op.activation(0));
        CHECK((at_zero == 0 ? std::isnan(with(0, infinite)) : with(0, infinite) == infinite));
      }
    }
  }
}

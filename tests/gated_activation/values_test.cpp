// SPDX-License-Identifier: MIT
// The values of gated activations: random ones of every size within the bound, and which of the two arguments is activated.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gated_activation/gated_run.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"

using namespace rowfold_test;

namespace {

// Factors of normal gates and values, and what they are called.
struct sweep {
  const char* name;
  double gate, value;
};

// Of ops that compute in float. Half has its own sizes: the largest is 65504, the smallest 2^-24.
std::vector<sweep> sweeps(const gated_op& op) {
  const bool half = op.gate == element::float16 || op.value == element::float16 || op.y == element::float16;
  if (half) {
    return {{"well scaled", 1, 1}, {"large gate", 30, 1}, {"tiny gate", 0x1p-9, 1}, {"denormal", 0x1p-17, 0x1p-3}};
  }
  if (op.checking()) {
    return {{"well scaled", 1, 1}, {"large gate", 200, 1e3}, {"tiny gate", 0x1p-200, 1}, {"huge value", 1, 0x1p900}};
  }
  return {{"well scaled", 1, 1},
          {"large gate", 30, 1},
          {"huge", 0x1p60, 0x1p60},
          {"tiny gate", 0x1p-60, 1},
          {"huge value", 1, 0x1p120},
          {"tiny value", 1, 0x1p-60},
          {"denormal gate", 0x1p-133, 0x1p20},
          {"denormal value", 1, 0x1p-133}};
}

const char* width_class(int cols) { return cols <= 64 ? "1 to 64" : cols <= 1024 ? "65 to 1024" : "more"; }

void write_table(const std::map<std::string, double>& cells) {
  std::string text = "| gate, types and form; columns | largest error |\n|---|---|\n";
  char line[200];
  for (const auto& [name, worst] : cells) {
    std::snprintf(line, sizeof(line), "| %s | %.2f |\n", name.c_str(), worst);
    text += line;
  }
  text +=
      "\nfloat and double: the activated gate's error, in units in the last place of max(|activation(gate)|, |gate| "
      "2^-10); 16-bit: steps from the correctly rounded value\n";
  std::puts(text.c_str());
  if (const char* file = std::getenv("ROWFOLD_ACCURACY_TABLE")) {
    std::ofstream out(file);
    out << text;
    CHECK(out.flush().good());
  }
}

// Row 0 alone, element by element.
std::vector<double> results(const gated_op& op, const std::vector<double>& gate, const std::vector<double>& value) {
  return run(op, {1, static_cast<int>(gate.size()), gate, value}).y;
}

}  // namespace

TEST_CASE("gated activations are within their bound") {
  std::map<std::string, double> table;
  for (const gated_op& op : gated_ops()) {
    std::uint64_t stream = 0;
    for (const sweep& kind : sweeps(op)) {
      for (const int cols : {37, 64, 800, 4096}) {
        if (op.checking() && cols > 1000) continue;
        gated_input in = normal_gates(cols > 1000 ? 2 : 4, cols, ++stream);
        for (double& gate : in.gate) gate *= kind.gate;
        for (double& value : in.value) value *= kind.value;
        const gated_judgement found = judge(op, in, run(op, in).y);
        INFO(kind.name);
        CHECK(found.fault == "");
        double& worst = table[std::string(op.name) + "; " + width_class(cols)];
        worst = std::max(worst, found.worst);
      }
    }
  }
  write_table(table);
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
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
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
        CHECK(std::isnan(with(nan, 1)));
        CHECK(std::isnan(with(1, nan)));
        CHECK(with(1, infinity) == infinity);
        CHECK(with(1, -infinity) == -infinity);
        CHECK(with(-infinity, 1) == 0);  // the limit of every activation here
        CHECK(std::isnan(with(-infinity, infinity)));
        CHECK(with(infinity, -2) == static_cast<double>(-2 * op.activation(static_cast<long double>(infinity))));
        const double at_zero = static_cast<double>(op.activation(0));
        CHECK((at_zero == 0 ? std::isnan(with(0, infinity)) : with(0, infinity) == infinity));
      }
    }
  }
}

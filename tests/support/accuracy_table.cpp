// SPDX-License-Identifier: MIT
#include "support/accuracy_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace rowfold_test {
namespace {

std::size_t class_of(int cols) { return cols <= 64 ? 0 : cols <= 1024 ? 1 : cols <= 16384 ? 2 : 3; }

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

}  // namespace

accuracy_table::accuracy_table(std::string op, std::string inputs, std::string measure)
    : op_(std::move(op)), inputs_(std::move(inputs)), measure_(std::move(measure)) {}

void accuracy_table::add(const std::string& types, int cols, double error, std::int64_t not_nearest,
                         std::int64_t values) {
  auto found = std::find_if(rows_.begin(), rows_.end(), [&](const auto& entry) { return entry.first == types; });
  if (found == rows_.end()) found = rows_.insert(rows_.end(), {types, row{}});
  cell& c = found->second[class_of(cols)];
  c.measured = true;
  if (!(error <= c.error)) c.error = error;  // a NaN stays
  c.not_nearest += not_nearest;
  c.values += values;
}

std::string accuracy_table::cell::text() const {
  if (!measured) return "";
  std::string result = formatted("%.2f", error);
  if (values > 0) {
    result += formatted(" (%.2f %%)", 100 * static_cast<double>(not_nearest) / static_cast<double>(values));
  }
  return result;
}

std::string accuracy_table::markdown() const {
  std::string text = "## " + op_ + "\n\nInputs: " + inputs_ + ".\nErrors: " + measure_ +
                     ".\n\n| types | up to 64 columns | 1024 | 16384 | more |\n|---|---|---|---|---|\n";
  for (const auto& [types, cells] : rows_) {
    text += "| " + types;
    for (const cell& c : cells) text += " | " + c.text();
    text += " |\n";
  }
  return text;
}

void accuracy_table::write() const {
  const std::string text = markdown();
  std::printf("\n%s\n", text.c_str());
  const char* folder = std::getenv("ROWFOLD_ACCURACY");
  if (folder == nullptr) return;
  const std::string file = std::string(folder) + "/" + op_ + ".md";
  std::ofstream out(file);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace rowfold_test

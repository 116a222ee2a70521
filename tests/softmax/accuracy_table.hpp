// SPDX-License-Identifier: MIT
// The randomised sweep over shapes, rows, options and places in memory, and the table of the largest errors that it finds.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "softmax/softmax_reference.hpp"
#include "softmax/softmax_run.hpp"

namespace rowfold_test {

// Rows of the table: sets; under each, classes of widths.
class softmax_table {
 public:
  explicit softmax_table(const std::vector<const softmax_set*>& sets) : sets_(sets) {}
  void add(const softmax_set& set, int cols, const softmax_accuracy& found);
  std::string markdown() const;

 private:
  static constexpr int width_classes = 4;
  const std::vector<const softmax_set*>& sets_;
  softmax_accuracy cells_[16][width_classes];
};

// How random inputs lie in memory: any alignment of each tensor, any stride, any variant.
softmax_placement random_placement(std::mt19937_64& engine, const softmax_set& set, int cols);

// Runs one set over all kinds of rows and random shapes and places, and checks every result.
void sweep(const softmax_set& set, softmax_table& table);

// Prints the table, and writes it where ROWFOLD_ACCURACY_TABLE says.
void write_table(const std::string& op, const std::string& text);

}  // namespace rowfold_test

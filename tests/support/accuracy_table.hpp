// SPDX-License-Identifier: MIT
// The largest errors of an op against its reference, as the sweep of its tests finds them: a row for each set of
// element types, a column for each class of widths.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rowfold_test {

class accuracy_table {
 public:
  // op: its name, and the table's. inputs: the kinds of rows. measure: what the errors are in, and their bound.
  accuracy_table(std::string op, std::string inputs, std::string measure);

  // An error of rows of `cols` columns. Of `values` 16-bit results, `not_nearest` are neighbours of the correctly
  // rounded one.
  void add(const std::string& types, int cols, double error, std::int64_t not_nearest = 0, std::int64_t values = 0);

  std::string markdown() const;

  // Prints the table, and writes it to <op>.md in the folder that the environment variable ROWFOLD_ACCURACY names, if
  // any.
  void write() const;

 private:
  struct cell {
    bool measured = false;
    double error = 0;
    std::int64_t not_nearest = 0, values = 0;

    std::string text() const;
  };
  using row = std::array<cell, 4>;

  std::string op_, inputs_, measure_;
  std::vector<std::pair<std::string, row>> rows_;  // in the order in which the types came
};

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
#include "norms/norm_checks.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "norms/norm_reference.hpp"
#include "norms/norm_rows.hpp"
#include "norms/norm_run.hpp"
#include "support/accuracy_table.hpp"
#include "support/check.hpp"
#include "support/seed.hpp"
#include "support/variants.hpp"

namespace rowfold_test {
namespace {

using rowfold::row_layout;

std::vector<int> sweep_widths(std::mt19937_64& engine, const norm_set& set) {
  std::vector<int> widths = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257};
  for (const int border : norm_borders(set, few_rows ? 600 : 3000)) {
    for (const int cols : {border - 1, border, border + 1}) widths.push_back(cols);
  }
  for (int i = 0; i < 12; ++i) widths.push_back(1 + static_cast<int>(engine() % (few_rows ? 600 : 3000)));
  if (few_rows) return widths;
  for (const int cols : {2880, 5120, 16384}) widths.push_back(cols);
  widths.push_back(20000 + static_cast<int>(engine() % 10000));
  return widths;
}

std::vector<norm_placement> places(const norm_set& set, int cols) {
  std::vector<norm_placement> list;
  norm_placement where;
  where.name = "x off";
  where.x_offset = 1;
  list.push_back(where);
  where = {};
  where.name = "y, parameters and statistics off";
  where.y_offset = 3;
  where.first_offset = where.second_offset = 1;
  where.statistic_offset = 1;
  list.push_back(where);
  where = {};
  where.name = "strided backwards and by one element more";
  where.x_layout = row_layout::strided(-cols - 16);
  where.y_layout = row_layout::strided(cols + 1);
  list.push_back(where);
  where = {};
  where.name = "nested, no statistics";
  where.x_layout = row_layout::nested(2, cols + 16, 3 * cols + 64);
  where.statistics = false;
  list.push_back(where);
  if (set.modulates()) {
    where = {};
    where.name = "vectors of groups apart";
    where.first_gap = 16;
    where.second_gap = 5;
    list.push_back(where);
  }
  if (set.run_short != nullptr && set.op != norm_op::rms_norm) {
    where = {};
    where.name = "short call";
    where.short_call = true;
    list.push_back(where);
  }
  if (set.x == set.y) {
    where = {};
    where.name = "in place";
    where.in_place = true;
    list.push_back(where);
    where.name = "in place, off, strided, reread";
    where.x_offset = 1;
    where.x_layout = row_layout::strided(cols + 3);
    where.request.reread = true;
    list.push_back(where);
  }
  return list;
}

void add(accuracy_table& table, const norm_input& input, const norm_accuracy& found) {
  const std::string name = input.set->name;
  const bool two_bytes = bytes_of(input.set->y) == 2;
  table.add(name, input.cols, found.worst_y, found.not_nearest, two_bytes ? found.elements : 0);
  table.add(name + ": statistics", input.cols, found.worst_statistic);
}

void check_same(const norm_output& expected, const norm_output& found, const char* what) {
  INFO(what);
  CHECK(same_bits(expected.y, found.y));
  if (!found.statistic.empty()) CHECK(same_bits(expected.statistic, found.statistic));
  if (!found.mean.empty()) CHECK(same_bits(expected.mean, found.mean));
}

// Bytes of a column of all parameters.
int bytes_of_parameters(const rowfold::row_problem& problem) {
  int bytes = 0;
  for (int i = 0; i < problem.operand_count; ++i) {
    if (problem.operands[i].kind == rowfold::operand_kind::parameter) bytes += problem.operands[i].element_bytes;
  }
  return bytes;
}

// The narrowest rows that each of the library's kernels serves.
std::map<std::string, int> width_of_each_kernel(const norm_set& set) {
  std::map<std::string, int> widths;
  for (int cols = 1; cols <= 3000; ++cols) {
    norm_call call;
    alignas(16) static double aligned[2];  // a plan needs addresses only
    call.x = call.y = aligned;
    if (set.has_parameters()) call.first = call.second = aligned;
    call.rows = 3;
    call.cols = cols;
    widths.emplace(kernel_of(set.plan(call)), cols);
  }
  widths.emplace("staged whole", 320);
  widths.emplace("block 4", 192 * set.granule());  // asked for: the call is small
  return widths;
}

}  // namespace

void check_accuracy(const char* op, const norm_sets& sets) {
  accuracy_table table(op, "normal, large mean, outlier, tiny, huge, denormal, constant, zero, infinity, NaN",
                       "y in ulp of its type at max(|y|, |weight|, |shift|), of L2 normalisation at |y|, for 16-bit "
                       "types also the share "
                       "that is not the nearest value; statistics (mean, rstd, norm) in their own ulp. Bound: 8, of "
                       "16-bit y a neighbour "
                       "of the nearest value; beyond 16384 columns 8 * columns / 16384");
  for (const norm_set* set : sets) {
    for (const int cols : {33, 64, 1000, 1024, 5120, 16400}) {
      if (few_rows && cols > 1100) continue;
      const norm_input input = all_norm_rows(*set, cols, static_cast<std::uint64_t>(cols));
      const norm_accuracy found = compare(input, run(input));
      CHECK(found.fault == "");
      add(table, input, found);
    }
    std::mt19937_64 engine(seed());
    for (const int cols : sweep_widths(engine, *set)) {
      const norm_input input = random_norm_input(engine, *set, cols);
      const norm_placement where = random_norm_placement(engine, *set, cols);
      INFO("any " << where.request.any_access << ", staged " << where.request.staged << ", reread "
                  << where.request.reread << ", in place " << where.in_place);
      const norm_output output = run(input, where);
      const norm_accuracy found = compare(input, output);
      CHECK(found.fault == "");
      if (on_cpu) CHECK(output.issued_bytes == output.plan.issued_bytes);
      add(table, input, found);
    }
  }
  table.write();
}

void check_same_bits(const norm_sets& sets) {
  for (const norm_set* set : sets) {
    std::set<std::string> kernels;
    rowfold::row_problem problem;
    for (const auto& [kernel, cols] : width_of_each_kernel(*set)) {
      INFO(set->name << ", " << cols << " columns: " << kernel);
      const norm_input input = normal_norm_rows(*set, 3, cols, static_cast<std::uint64_t>(cols));
      const norm_output expected = run(input);
      kernels.insert(kernel_of(expected.plan));
      problem = expected.plan.problem;
      CHECK(compare(input, expected).fault == "");
      std::vector<norm_placement> list = kernel_variants<norm_placement>();
      for (const norm_placement& where : places(*set, cols)) list.push_back(where);
      for (const norm_placement& where : list) {
        const norm_output found = run(input, where);
        kernels.insert(kernel_of(found.plan));
        check_same(expected, found, where.name);
      }
    }
    std::set<std::string> all = {"staged any"};
    if (set->x != element::float64) {
      const int parameter_bytes = bytes_of_parameters(problem);  // of a column
      const bool narrow = set->granule() == 8;
      const bool folds_once = problem.shape_class() == rowfold::fold_class::sum;
      all = {"staged whole", "staged any", "warp 4"};
      all.insert(narrow && folds_once ? "warp 3" : "warp 2");
      if (narrow && !folds_once) all.insert({"warp 3", "warp 5"});
      if (narrow) all.insert("four lanes");
      if (parameter_bytes > 0) all.insert("block 4 early");
      if (parameter_bytes == 0 || parameter_bytes * set->granule() > 16) all.insert("block 4");
    }
    CHECK(kernels == all);
  }
}

void check_row_independence(const norm_sets& sets) {
  for (const norm_set* set : sets) {
    for (const int cols : {5, 64, 264}) {
      INFO(set->name << ", " << cols << " columns");
      const norm_input input = normal_norm_rows(*set, 24, cols, 3, 24);  // one group: all rows share its vectors
      const norm_output expected = run(input);
      const auto n = static_cast<std::ptrdiff_t>(cols);
      for (const std::ptrdiff_t first : {0, 1, 17}) {
        norm_input part = input;
        part.rows = 7;
        part.x.assign(input.x.begin() + first * n, input.x.begin() + (first + 7) * n);
        const norm_output found = run(part);
        CHECK(same_bits(found.y, {expected.y.begin() + first * n, expected.y.begin() + (first + 7) * n}));
      }
    }
  }
}

void check_memory(const norm_sets& sets) {
  for (const norm_set* set : sets) {
    for (int cols = 1; cols <= 40; ++cols) {
      const norm_input input = normal_norm_rows(*set, 7, cols);
      const norm_output first = run(input);
      CHECK(compare(input, first).fault == "");
      CHECK(same_bits(first.y, run(input).y));
    }
    const norm_input input = normal_norm_rows(*set, 4, 256);
    for (std::size_t norm_placement::*offset :
         {&norm_placement::x_offset, &norm_placement::y_offset, &norm_placement::first_offset,
          &norm_placement::second_offset, &norm_placement::statistic_offset}) {
      for (const std::size_t elements : {1, 2, 4}) {
        norm_placement where;
        where.*offset = elements;
        where.count_bytes = true;
        const norm_output output = run(input, where);
        CHECK(compare(input, output).fault == "");
        if (on_cpu) CHECK(output.issued_bytes == output.plan.issued_bytes);
      }
    }
  }
}

}  // namespace rowfold_test

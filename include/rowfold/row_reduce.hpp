// SPDX-License-Identifier: MIT
// The arguments of row reductions and their plan: host values only, so that a .cpp file can make a plan that a .cu file
// launches. row_reduce.cuh has the op.
#pragma once

#include <cstdint>

#include "rowfold/config.hpp"
#include "rowfold/launch/make_row_plan.hpp"
#include "rowfold/numeric/traits.hpp"
#include "rowfold/row/granule_size.hpp"
#include "rowfold/row/statistic.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Statistics of each of `rows` rows of `cols` columns. Pointers are to memory of the device that runs the op.
template <class X, class... Statistics>
struct row_reduce_args {
  const X* x = nullptr;  // [rows, cols]
  std::int64_t rows = 0;
  int cols = 0;
  statistic_list<Statistics...> statistics{};  // each with its [rows] results, which overlap nothing
  row_layout x_layout{};
  plan_request request{};
  row_plan plan{};  // a plan made by plan_row_reduce for these arguments, or unset: the launcher makes one
};

// Arguments whose types need not be spelt out:
//   auto args = make_row_reduce_args(x, rows, cols, statistics(statistic::mean(mean), statistic::max(largest)));
//   args.x_layout = row_layout::strided(stride);
template <class X, class... Statistics>
row_reduce_args<X, Statistics...> make_row_reduce_args(const X* x, std::int64_t rows, int cols,
                                                       const statistic_list<Statistics...>& list) {
  row_reduce_args<X, Statistics...> args;
  args.x = x;
  args.rows = rows;
  args.cols = cols;
  args.statistics = list;
  return args;
}

// What a row reduction asks for, without its pointers.
template <class X, class... Statistics>
row_problem row_reduce_problem(const row_reduce_args<X, Statistics...>& args) {
  row_problem problem;
  problem.op = "row_reduce";
  problem.rows = args.rows;
  problem.cols = args.cols;
  problem.granule = granule_of<X>;
  problem.accumulate_bytes = static_cast<int>(sizeof(accumulate_t<X>));
  // The variance's deviations from the mean take a pass of their own, after that of all other folds.
  problem.loads_first = has_variance<Statistics...>;
  problem.fold_passes = problem.loads_first ? 2 : 1;
  problem.stores_rows = false;
  problem.require(args.x);
  problem.add(make_operand("x", operand_kind::input, args.x, args.x_layout.resolved(args.cols)));
  describe_statistics(problem, args.statistics);
  return problem;
}

// The plan of a row reduction: pure, needs no GPU. The launcher does exactly what it says.
template <class X, class... Statistics>
row_plan plan_row_reduce(const row_reduce_args<X, Statistics...>& args, const device_info& device) {
  return make_row_plan(row_reduce_problem(args), device, args.request);
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

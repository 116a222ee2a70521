// SPDX-License-Identifier: MIT
// The statistics that a row can be reduced to, each with the place where its results go: host values, which
// statistics(a, b, ...) puts together for one pass over the rows.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

enum class statistic_kind {
  sum,
  mean,
  variance,
  min,
  max,
  arg_min,
  arg_max,
  l1_norm,
  l2_norm,
  abs_max,
  log_sum_exp,
  any_nonfinite,
  all_finite,
};

ROWFOLD_HOST_DEVICE constexpr const char* to_text(statistic_kind kind) {
  switch (kind) {
    case statistic_kind::sum:
      return "sum";
    case statistic_kind::mean:
      return "mean";
    case statistic_kind::variance:
      return "variance";
    case statistic_kind::min:
      return "min";
    case statistic_kind::max:
      return "max";
    case statistic_kind::arg_min:
      return "arg_min";
    case statistic_kind::arg_max:
      return "arg_max";
    case statistic_kind::l1_norm:
      return "l1_norm";
    case statistic_kind::l2_norm:
      return "l2_norm";
    case statistic_kind::abs_max:
      return "abs_max";
    case statistic_kind::log_sum_exp:
      return "log_sum_exp";
    case statistic_kind::any_nonfinite:
      return "any_nonfinite";
    case statistic_kind::all_finite:
      return "all_finite";
  }
  return "unknown";
}

// Whether a row without columns has no such value: there is no smallest or largest element of none.
ROWFOLD_HOST_DEVICE constexpr bool needs_columns(statistic_kind kind) {
  return kind == statistic_kind::min || kind == statistic_kind::max || kind == statistic_kind::arg_min ||
         kind == statistic_kind::arg_max;
}

// One statistic of each row. Out: float, double, __half or __nv_bfloat16; of arg_min and arg_max an integer type, of
// any_nonfinite and all_finite bool or an integer type (1 or 0).
template <statistic_kind Kind, class Out>
struct row_statistic {
  static constexpr statistic_kind kind = Kind;
  using output_type = Out;

  Out* out;        // [rows], in the memory of the device
  int correction;  // of the variance: the sum of squares is divided by cols - correction
};

namespace statistic {

// The sum of the elements; of no element 0.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::sum, Out> sum(Out* out) {
  return {out, 0};
}

// sum / cols; of no element NaN.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::mean, Out> mean(Out* out) {
  return {out, 0};
}

// The sum of (x - mean)^2, divided by cols - correction: 0 for the biased variance, 1 for the unbiased one. With as
// many columns as correction, or fewer, the divisor is 0: NaN if the sum is 0, too. correction is not negative.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::variance, Out> variance(Out* out, int correction = 0) {
  return {out, correction};
}

// The smallest and the largest element, NaN if there is a NaN; +0 counts as larger than -0.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::min, Out> min(Out* out) {
  return {out, 0};
}
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::max, Out> max(Out* out) {
  return {out, 0};
}

// The column of the smallest and of the largest element: the lowest among equal ones (+0 and -0 are), or that of the
// first NaN.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::arg_min, Out> arg_min(Out* out) {
  return {out, 0};
}
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::arg_max, Out> arg_max(Out* out) {
  return {out, 0};
}

// The sum of |x|; of no element 0.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::l1_norm, Out> l1_norm(Out* out) {
  return {out, 0};
}

// The square root of the sum of x^2, of tiny and huge elements, too; of no element 0.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::l2_norm, Out> l2_norm(Out* out) {
  return {out, 0};
}

// The largest |x|, NaN if there is a NaN; of no element 0.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::abs_max, Out> abs_max(Out* out) {
  return {out, 0};
}

// log(sum of exp(x)): -inf if all elements are, +inf if one is, NaN if one is a NaN; of no element -inf.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::log_sum_exp, Out> log_sum_exp(Out* out) {
  return {out, 0};
}

// Whether some element is infinite or a NaN; of no element false.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::any_nonfinite, Out> any_nonfinite(Out* out) {
  return {out, 0};
}

// Whether no element is infinite or a NaN; of no element true.
template <class Out>
ROWFOLD_HOST_DEVICE constexpr row_statistic<statistic_kind::all_finite, Out> all_finite(Out* out) {
  return {out, 0};
}

}  // namespace statistic

// Whether one of the statistics needs to see the row a second time.
template <class... Statistics>
inline constexpr bool has_variance = ((Statistics::kind == statistic_kind::variance) || ...);

// Statistics for one pass over the rows.
template <class First, class... Rest>
struct statistic_list {
  First first;
  statistic_list<Rest...> rest;
};
template <class Only>
struct statistic_list<Only> {
  Only first;
};

//   statistics(statistic::mean(mean), statistic::variance(variance, 1), statistic::abs_max(largest))
template <class First, class... Rest>
ROWFOLD_HOST_DEVICE constexpr statistic_list<First, Rest...> statistics(First first, Rest... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return {first};
  } else {
    return {first, statistics(rest...)};
  }
}

#if !defined(__CUDACC_RTC__)
// Calls f(statistic) for each of them, in order.
template <class F, class First, class... Rest>
void for_each_statistic(const statistic_list<First, Rest...>& list, F&& f) {
  f(list.first);
  if constexpr (sizeof...(Rest) > 0) for_each_statistic(list.rest, f);
}

// Adds the statistics to what a problem asks for.
template <class... Statistics>
void describe_statistics(row_problem& problem, const statistic_list<Statistics...>& list) {
  problem.writes_empty_rows = true;
  for_each_statistic(list, [&](const auto& statistic) {
    problem.add(make_operand(to_text(statistic.kind), operand_kind::statistic, statistic.out));
    if (problem.rows <= 0) return;
    if (statistic.out == nullptr) {
      problem.blame(problem_fault::null_pointer);
    } else if (statistic.correction < 0) {
      problem.blame(problem_fault::bad_option);
    } else if (problem.cols == 0 && needs_columns(statistic.kind)) {
      problem.blame(problem_fault::no_columns);
    }
  });
}
#endif

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

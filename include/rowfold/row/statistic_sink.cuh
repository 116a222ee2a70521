// SPDX-License-Identifier: MIT
// Row statistics as parts of the engine: the stages that a list of statistics (row/statistic.hpp) needs, and the sink
// that stores what becomes of them. One lane of a row's group computes and stores all of the row's results.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/folds/maximum.cuh"
#include "rowfold/memory/granule.cuh"
#include "rowfold/numeric/convert.cuh"
#include "rowfold/row/deviations.cuh"
#include "rowfold/row/joined_stage.cuh"
#include "rowfold/row/row_problem.hpp"
#include "rowfold/row/statistic.hpp"
#include "rowfold/row/statistic_folds.cuh"

namespace rowfold {
inline namespace ROWFOLD_ABI {
inline namespace ROWFOLD_BACKEND {

namespace detail {

// The granule fold of a statistic. Several statistics may have one.
template <class Acc, statistic_kind Kind>
struct statistic_fold {  // sum, mean and variance
  using type = row_sum_fold<Acc, element_itself>;
};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::l1_norm> {
  using type = row_sum_fold<Acc, element_absolute>;
};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::l2_norm> {
  using type = euclidean_fold<Acc>;
};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::min> {
  using type = each_element<minimum_fold<Acc>>;
};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::max> {
  using type = each_element<maximum_fold<Acc>>;
};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::arg_min> {
  using type = first_extreme_fold<Acc, arg_min>;
};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::arg_max> {
  using type = first_extreme_fold<Acc, arg_max>;
};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::abs_max> {
  using type = each_element<abs_max_fold<Acc>>;
};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::any_nonfinite> : statistic_fold<Acc, statistic_kind::abs_max> {};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::all_finite> : statistic_fold<Acc, statistic_kind::abs_max> {};
template <class Acc>
struct statistic_fold<Acc, statistic_kind::log_sum_exp> : statistic_fold<Acc, statistic_kind::max> {
};  // and exp_sum_fold

// The joined stage of all folds that these statistics need.
template <class Acc, statistic_kind... Kinds>
struct statistic_folds {
  using all = join<joined_stage<>, typename statistic_fold<Acc, Kinds>::type...>;
  template <bool LogSumExp, class Joined>
  struct with_exponentials {
    using type = Joined;
  };
  template <class Joined>
  struct with_exponentials<true, Joined> {
    using type = join<Joined, exp_sum_fold<Acc>>;
  };
  using type = typename with_exponentials<((Kinds == statistic_kind::log_sum_exp) || ...), all>::type;
};

// What is known of a row: the states of its folds, with deviations where a variance was asked for.
template <class First, class... Rest>
ROWFOLD_DEVICE const joined_states<First, Rest...>& states_of(const joined_states<First, Rest...>& states) {
  return states;
}
template <class Acc, class States>
ROWFOLD_DEVICE const States& states_of(const states_with_deviations<Acc, States>& result) {
  return result.states;
}

// The value of a statistic: an Acc, a column, or a truth value.
template <class Acc, statistic_kind Kind, class Out, class Result>
ROWFOLD_DEVICE auto statistic_value(const row_statistic<Kind, Out>& statistic, const Result& result, int cols) {
  const auto& state = state_of<typename statistic_fold<Acc, Kind>::type>(states_of(result));
  if constexpr (Kind == statistic_kind::sum || Kind == statistic_kind::l1_norm) {
    return total_of(state);
  } else if constexpr (Kind == statistic_kind::mean) {
    return mean_of(state, cols);
  } else if constexpr (Kind == statistic_kind::variance) {
    return variance_of(result.sums, cols, statistic.correction);
  } else if constexpr (Kind == statistic_kind::arg_min || Kind == statistic_kind::arg_max) {
    return state.index;
  } else if constexpr (Kind == statistic_kind::l2_norm) {
    return norm_of(state);
  } else if constexpr (Kind == statistic_kind::log_sum_exp) {
    return log_sum_exp_of(state_of<exp_sum_fold<Acc>>(states_of(result)), state);
  } else if constexpr (Kind == statistic_kind::any_nonfinite) {
    return !math::is_finite(state);
  } else if constexpr (Kind == statistic_kind::all_finite) {
    return math::is_finite(state);
  } else {
    return state;
  }
}

// The value as it is stored.
template <class Out, class Value>
ROWFOLD_DEVICE Out statistic_output(Value value) {
  if constexpr (is_accumulate_type<Value>) {
    static_assert(is_supported<Out>, "this statistic goes to float, double, __half or __nv_bfloat16");
    return convert<Out>(value);
  } else {
    static_assert(!is_supported<Out>, "a column goes to an integer type, a truth value to bool or an integer type");
    return static_cast<Out>(value);
  }
}

}  // namespace detail

// The stages for these statistics: all folds in one pass, and one more if there is a variance among them. The row has
// `cols` columns, which `lanes` lanes fold in granules of `granule`.
template <class Acc, class... Statistics>
ROWFOLD_HOST_DEVICE constexpr auto statistic_stages(const statistic_list<Statistics...>&, int cols, int granule,
                                                    int lanes) {
  using joined = typename detail::statistic_folds<Acc, Statistics::kind...>::type;
  if constexpr (has_variance<Statistics...>) {
    using sums = typename detail::statistic_fold<Acc, statistic_kind::variance>::type;
    return stages(first_element_stage<Acc, joined>{},
                  deviations_stage<Acc, sums>{make_mean_tolerance<Acc>(cols, granule, lanes)});
  } else {
    return stages(joined{});
  }
}

// Stores the statistics of each row.
template <class Acc, class... Statistics>
struct statistic_sink {
  static constexpr int output_count = 0;
  static constexpr int widest_column = 0;
  static constexpr bool finishes_empty_rows = true;
  struct row_type {
    long long index;
    int cols;
  };

  statistic_list<Statistics...> list;

  ROWFOLD_DEVICE row_type row(long long row, int cols) const { return {row, cols}; }

  template <class Result>
  ROWFOLD_DEVICE void finish(const row_type& row, const Result& result) const {
    store(list, row, result);
  }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const { describe_statistics(problem, list); }
#endif

 private:
  template <class First, class... Rest, class Result>
  static ROWFOLD_DEVICE void store(const statistic_list<First, Rest...>& statistics, const row_type& row,
                                   const Result& result) {
    const auto value = detail::statistic_value<Acc>(statistics.first, result, row.cols);
    store_element<store_hint::write_back>(statistics.first.out + row.index,
                                          detail::statistic_output<typename First::output_type>(value));
    if constexpr (sizeof...(Rest) > 0) store(statistics.rest, row, result);
  }
};

}  // namespace ROWFOLD_BACKEND
}  // namespace ROWFOLD_ABI
}  // namespace rowfold

// SPDX-License-Identifier: MIT
// Which leading columns of a row take part in a softmax: all (`absent`), those that a causal mask leaves, as many as an
// array says, or the fewer of two such answers. Host values; row/logit_source.cuh asks them in kernels.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/row/row_layout.hpp"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Row r is query r % queries of its block of [queries, cols], and sees the columns <= r % queries + offset: all of them
// or none, where that is beyond the last or before the first. The two usual ways to lay a causal mask over a block that
// is not square are bottom_right, where the last query sees every key, and top_left, where the first query sees the
// first key.
struct causal_columns {
  long long queries = 1;  // at least 1
  long long offset = 0;

  static ROWFOLD_HOST_DEVICE constexpr causal_columns bottom_right(long long queries, long long keys) {
    return {queries, keys - queries};
  }
  static ROWFOLD_HOST_DEVICE constexpr causal_columns top_left(long long queries) { return {queries, 0}; }

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    const bool good = queries >= 1 && problem.rows <= row_layout::max_rows / queries;
    if (!good) problem.blame(problem_fault::bad_option);
  }
#endif
};

// Row r sees its first lengths[r] columns: [rows] in memory of the device, int or a 64-bit integer. A length below 0
// counts as 0, one above cols as cols.
template <class Length>
struct row_lengths {
  const Length* lengths = nullptr;

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    problem.require(lengths);
    problem.add(make_operand("lengths", operand_kind::lane_value, lengths));
  }
#endif
};

// The columns that both leave.
template <class First, class Second>
struct fewer_columns {
  First first;
  Second second;

#if !defined(__CUDACC_RTC__)
  void describe(row_problem& problem) const {
    first.describe(problem);
    second.describe(problem);
  }
#endif
};

// A causal mask as kernels ask it: `query` gives row % queries without a division.
struct prepared_causal_columns {
  row_layout query;
  long long offset;

#if !defined(__CUDACC_RTC__)
  void describe(row_problem&) const {}
#endif
};

// Offsets beyond the most columns are as good as that many: kernels add the query to them, which must not overflow.
// Below 0 the sum cannot.
ROWFOLD_HOST_DEVICE constexpr prepared_causal_columns prepare_columns(const causal_columns& causal) {
  constexpr long long most = 0x7fffffff;
  return {row_layout::nested(causal.queries, 1, 0), causal.offset < most ? causal.offset : most};
}
// What the source of a softmax takes: the same columns, ready for kernels.
template <class First, class Second>
ROWFOLD_HOST_DEVICE constexpr auto prepare_columns(const fewer_columns<First, Second>& columns) {
  using prepared_first = decltype(prepare_columns(columns.first));
  using prepared_second = decltype(prepare_columns(columns.second));
  return fewer_columns<prepared_first, prepared_second>{prepare_columns(columns.first),
                                                        prepare_columns(columns.second)};
}
template <class Columns>
ROWFOLD_HOST_DEVICE constexpr Columns prepare_columns(const Columns& columns) {
  return columns;
}

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

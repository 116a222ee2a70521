// SPDX-License-Identifier: MIT
// Parameters that differ between groups of rows: which vectors a row reads.
#pragma once

#include "rowfold/config.hpp"
#include "rowfold/numeric/divider.hpp"
#include "rowfold/row/row_problem.hpp"

namespace rowfold {
inline namespace ROWFOLD_ABI {

// Row r belongs to group r / rows_per_group (at least 1), and reads that group's vector of two parameters. The strides
// count elements from one group's vector to the next one's.
class row_groups {
 public:
  long long first_stride;
  long long second_stride;

  ROWFOLD_HOST_DEVICE constexpr row_groups(long long rows_per_group, long long stride_of_first,
                                           long long stride_of_second)
      : first_stride(stride_of_first),
        second_stride(stride_of_second),
        rows_per_group_(rows_per_group),
        inverse_(rows_per_group > 1 ? inverse_of(rows_per_group) : 0) {}

  // For rows below 2^64 / rows_per_group: the planner refuses others.
  ROWFOLD_HOST_DEVICE constexpr long long of(long long row) const {
    return inverse_ == 0 ? row : quotient_by_inverse(row, inverse_);
  }

#if !defined(__CUDACC_RTC__)
  // Makes a problem with groups of no rows one that is refused; false then. For ops whose parameters are all absent:
  // describe() asks, too.
  bool check(row_problem& problem) const {
    if (rows_per_group_ < 1) problem.blame(problem_fault::bad_option);
    return rows_per_group_ >= 1;
  }

  // Adds a parameter with a vector for each group to a problem whose rows are known, as row_problem::add_parameter does
  // with one vector for all.
  template <class T>
  void describe(row_problem& problem, const char* name, const T* data, long long stride) const {
    if (!check(problem)) return;  // also where there is none
    if (data == nullptr) {
      problem.has_null_parameter = true;
      return;
    }
    operand o = make_operand(name, operand_kind::parameter, data, row_layout::nested(rows_per_group_, 0, stride));
    o.vectors = problem.rows > 0 ? of(problem.rows - 1) + 1 : 0;
    problem.add(o);
  }
#endif

 private:
  long long rows_per_group_;
  unsigned long long inverse_;  // of rows_per_group_ (numeric/divider.hpp); 0 of 1
};

}  // namespace ROWFOLD_ABI
}  // namespace rowfold

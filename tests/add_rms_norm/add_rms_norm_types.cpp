// SPDX-License-Identifier: MIT
#include "add_rms_norm/add_rms_norm_types.hpp"

#include "norms/norm_reference.hpp"
#include "norms/norm_run.hpp"
#include "support/check.hpp"

namespace rowfold_test {
namespace add_norm {
namespace {

// RMSNorm from the sum's type to y's, with these parameters.
const norm_set& rms_set(const op_types& types) {
  for (const norm_set* set : rms_norm_sets()) {
    if (set->x == types.sum && set->parameter == types.parameter && set->y == types.y) return *set;
  }
  FAIL("the tests of RMSNorm have no set of types for " << types.name);
  return *rms_norm_sets().front();
}

norm_input rms_input(const input& in, const std::vector<double>& sums, const norm_set& set) {
  norm_input result;
  result.set = &set;
  result.rows = in.rows;
  result.cols = in.cols;
  result.eps = in.eps;
  result.weight_offset = in.weight_offset;
  result.x = sums;
  result.first = in.gamma;
  result.second = in.beta;
  return result;
}

}  // namespace

output rms_norm_of_sums(const input& in, const std::vector<double>& sums) {
  const norm_output found = rowfold_test::run(rms_input(in, sums, rms_set(*in.types)));
  output result;
  result.y = found.y;
  result.rstd = found.statistic;
  result.plan = found.plan;
  return result;
}

judgement judge_rms_norm(const input& in, const std::vector<double>& sums, element folded, const output& found) {
  norm_set set = rms_set(*in.types);
  set.x = folded;
  norm_output result;
  result.y = found.y;
  result.statistic = found.rstd;
  const norm_accuracy compared = compare(rms_input(in, sums, set), result);
  return {compared.worst_y, compared.fault};
}

const op_list& add_rms_norm_ops() {
#if defined(ROWFOLD_TEST_FEW_TYPES)
  static const op_list ops = {&add_rms_norm_float, &add_rms_norm_bfloat16};
#else
  static const op_list ops = {&add_rms_norm_float, &add_rms_norm_bfloat16, &add_rms_norm_bfloat16_with_float,
                              &add_rms_norm_float_with_half, &add_rms_norm_double};
#endif
  return ops;
}

}  // namespace add_norm
}  // namespace rowfold_test

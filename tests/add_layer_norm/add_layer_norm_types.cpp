// SPDX-License-Identifier: MIT
#include "add_layer_norm/add_layer_norm_types.hpp"

#include "layer_norm/layer_norm_run.hpp"
#include "layer_norm/reference.hpp"
#include "support/check.hpp"

namespace rowfold_test {
namespace add_norm {
namespace {

// LayerNorm from the sum's type to y's, with these parameters.
const type_set& norm_types(const op_types& types) {
  for (const type_set* set : type_sets()) {
    if (set->x == types.sum && set->parameter == types.parameter && set->y == types.y) return *set;
  }
  FAIL("the tests of LayerNorm have no set of types for " << types.name);
  return float_types;
}

layer_norm_input norm_input(const input& in, const std::vector<double>& sums, const type_set& types) {
  layer_norm_input result;
  result.types = &types;
  result.rows = in.rows;
  result.cols = in.cols;
  result.eps = in.eps;
  result.x = sums;
  result.gamma = in.gamma;
  result.beta = in.beta;
  return result;
}

}  // namespace

output layer_norm_of_sums(const input& in, const std::vector<double>& sums) {
  const layer_norm_output found = rowfold_test::run(norm_input(in, sums, norm_types(*in.types)));
  output result;
  result.y = found.y;
  result.mean = found.mean;
  result.rstd = found.rstd;
  result.plan = found.plan;
  return result;
}

judgement judge_layer_norm(const input& in, const std::vector<double>& sums, element folded, const output& found) {
  type_set types = norm_types(*in.types);
  types.x = folded;
  layer_norm_output result;
  result.y = found.y;
  result.mean = found.mean;
  result.rstd = found.rstd;
  const accuracy compared = compare(norm_input(in, sums, types), result);
  return {compared.worst_y, compared.fault};
}

const op_list& add_layer_norm_ops() {
#if defined(ROWFOLD_TEST_FEW_TYPES)
  static const op_list ops = {&add_layer_norm_float, &add_layer_norm_bfloat16};
#else
  static const op_list ops = {&add_layer_norm_float, &add_layer_norm_bfloat16, &add_layer_norm_bfloat16_with_float,
                              &add_layer_norm_float_with_half, &add_layer_norm_double};
#endif
  return ops;
}

}  // namespace add_norm
}  // namespace rowfold_test

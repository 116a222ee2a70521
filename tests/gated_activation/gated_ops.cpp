// SPDX-License-Identifier: MIT
#include <cmath>

#include "gated_activation/gated_op.hpp"

namespace rowfold_test {

const gated_list& gated_ops() {
  static const gated_list ops = [] {
    gated_list all = gated_float_ops();
    const auto add = [&](const gated_list& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(gated_bfloat16_ops());
#if !defined(ROWFOLD_TEST_FEW_TYPES)
    add(gated_more_ops());
#endif
    return all;
  }();
  return ops;
}

long double exact_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double exact_silu(long double x) { return x == -HUGE_VALL ? 0 : x * exact_sigmoid(x); }
long double exact_gelu(long double x) { return x == -HUGE_VALL ? 0 : x / 2 * std::erfc(-x / std::sqrt(2.0L)); }
long double exact_gelu_tanh(long double x) {
  const long double w = std::sqrt(8 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x);
  return x == -HUGE_VALL ? 0 : x * exact_sigmoid(w);
}
long double exact_relu(long double x) { return x > 0 || std::isnan(x) ? x : 0; }

}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Addition + RMSNorm of bfloat16, with either rounding of the sum, and with literal nullptr.
#include "add_rms_norm/typed_add_rms_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_rms_norm_bfloat16 = [] {
  using typed = typed_add_rms_norm<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16>;
  op_types types = typed::functions("bfloat16", element::bfloat16, element::bfloat16, element::bfloat16,
                                    element::bfloat16, element::bfloat16);
  types.run_full = typed::run_full;
  types.run_short = typed::run_short_literal;
  return types;
}();

}  // namespace add_norm
}  // namespace rowfold_test

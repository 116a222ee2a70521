// SPDX-License-Identifier: MIT
// Addition and RMSNorm of bfloat16 to e4m3 with a scale for each row, also by the short call.
#include "quantize/op_types.hpp"
#include "quantize/typed.cuh"

namespace rowfold_test {
namespace quantize {

const op_types add_bfloat16_per_row = [] {
  using typed =
      typed_add_rms_norm_quantize<__nv_bfloat16, __nv_bfloat16, __nv_fp8_e4m3, quantize_scale::per_row, __nv_bfloat16>;
  op_types types =
      typed::functions("bfloat16 to e4m3 per row", element::bfloat16, element::bfloat16, element::bfloat16);
  types.run_short = typed::run_short;
  return types;
}();

}  // namespace quantize
}  // namespace rowfold_test

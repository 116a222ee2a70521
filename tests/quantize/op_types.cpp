// SPDX-License-Identifier: MIT
#include "quantize/op_types.hpp"

namespace rowfold_test {
namespace quantize {

#if defined(ROWFOLD_TEST_FEW_TYPES)
const op_list& quantize_ops() {
  static const op_list ops = {&quantize_bfloat16_per_row, &quantize_float_per_group};
  return ops;
}
const op_list& rms_norm_quantize_ops() {
  static const op_list ops;
  return ops;
}
const op_list& add_rms_norm_quantize_ops() {
  static const op_list ops = {&add_bfloat16_per_row};
  return ops;
}
const op_list& swiglu_quantize_ops() {
  static const op_list ops;
  return ops;
}
#else
const op_list& quantize_ops() {
  static const op_list ops = {&quantize_bfloat16_per_row, &quantize_float_per_group, &quantize_half_given,
                              &quantize_bfloat16_per_group};
  return ops;
}
const op_list& rms_norm_quantize_ops() {
  static const op_list ops = {&rms_bfloat16_per_row, &rms_float_given};
  return ops;
}
const op_list& add_rms_norm_quantize_ops() {
  static const op_list ops = {&add_bfloat16_per_row, &add_float_with_half_per_group};
  return ops;
}
const op_list& swiglu_quantize_ops() {
  static const op_list ops = {&swiglu_bfloat16_per_row, &swiglu_half_per_group};
  return ops;
}
#endif

}  // namespace quantize
}  // namespace rowfold_test

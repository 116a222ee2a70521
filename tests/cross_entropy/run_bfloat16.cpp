// SPDX-License-Identifier: MIT
// Cross-entropy of bfloat16 logits.
#include "cross_entropy/typed_cross_entropy.cuh"

namespace cross_entropy_test {

const logit_type bfloat16_logits = typed_cross_entropy<__nv_bfloat16>::functions("bfloat16", element::bfloat16);

}  // namespace cross_entropy_test

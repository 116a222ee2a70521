// SPDX-License-Identifier: MIT
// Cross-entropy of half logits.
#include "cross_entropy/typed_cross_entropy.cuh"

namespace cross_entropy_test {

const logit_type half_logits = typed_cross_entropy<__half>::functions("half", element::float16);

}  // namespace cross_entropy_test

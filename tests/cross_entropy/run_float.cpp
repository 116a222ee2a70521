// SPDX-License-Identifier: MIT
// Cross-entropy of float logits.
#include "cross_entropy/typed_cross_entropy.cuh"

namespace cross_entropy_test {

const logit_type float_logits = typed_cross_entropy<float>::functions("float", element::float32);

}  // namespace cross_entropy_test

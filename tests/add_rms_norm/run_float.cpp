// SPDX-License-Identifier: MIT
// Addition + RMSNorm of float.
#include "add_rms_norm/typed_add_rms_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_rms_norm_float = typed_add_rms_norm<float, float, float, float, float>::functions(
    "float", element::float32, element::float32, element::float32, element::float32, element::float32);

}  // namespace add_norm
}  // namespace rowfold_test

// SPDX-License-Identifier: MIT
// Addition + RMSNorm of double.
#include "add_rms_norm/typed_add_rms_norm.cuh"

namespace rowfold_test {
namespace add_norm {

const op_types add_rms_norm_double = typed_add_rms_norm<double, double, double, double, double>::functions(
    "double", element::float64, element::float64, element::float64, element::float64, element::float64);

}  // namespace add_norm
}  // namespace rowfold_test

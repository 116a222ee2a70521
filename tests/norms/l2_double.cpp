// SPDX-License-Identifier: MIT
// L2 normalisation of double.
#include "norms/norm_sets.hpp"
#include "norms/typed_l2_normalize.cuh"

namespace rowfold_test {

const norm_set l2_double =
    typed_l2_normalize<double, double>::functions("L2, double", element::float64, element::float64);

}  // namespace rowfold_test

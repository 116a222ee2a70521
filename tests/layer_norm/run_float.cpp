// SPDX-License-Identifier: MIT
// LayerNorm of float, accurate and fast.
#include "layer_norm/typed_layer_norm.cuh"

namespace rowfold_test {

using typed_float = typed_layer_norm<float, float, float>;

const type_set float_types = [] {
  type_set set = typed_float::functions("float", element::float32, element::float32, element::float32);
  set.run_fast = typed_float::run_fast;
  return set;
}();

}  // namespace rowfold_test

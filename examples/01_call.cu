// SPDX-License-Identifier: MIT
// 1. The call most people need: LayerNorm of packed rows in memory of the device. The type of each pointer is free;
//    gamma (1 where it is nullptr) and beta (0) may be left out. The call returns an error code, allocates nothing, and
//    waits for nothing: the work is in the stream given last (the default stream here).
#include "memory.hpp"
#include "rowfold/layer_norm.cuh"

int main() {
  constexpr int rows = 2, cols = 4;
  const device_array<float> x({1, 2, 3, 4,  //
                               -7, -7, 1, 1});
  const device_array<float> gamma({1, 1, 1, 10});
  const device_array<float> y(rows * cols);

  check(rowfold::layer_norm(x.data(), gamma.data(), nullptr, y.data(), rows, cols, 0.0));

  // By hand: mean 2.5 and variance 1.25, then mean -3 and variance 16.
  const std::vector<float> expected = {-1.34164f, -0.44721f, 0.44721f, 13.41641f,  //
                                       -1,        -1,        1,        10};
  return print_and_compare(y.values(), expected, cols, 1e-5f) ? 0 : 1;
}

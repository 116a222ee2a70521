// SPDX-License-Identifier: MIT
// LayerNorm of two rows on the CPU executor, in double: one kernel, quickly compiled.
#include <cmath>
#include <cstdio>

#include "rowfold/layer_norm.cuh"

int main() {
  const double x[6] = {1, 2, 3, 4, 6, 8};
  double y[6] = {};
  const cudaError_t status = rowfold::layer_norm(x, nullptr, nullptr, y, 2, 3, 0.0, nullptr);
  if (status != cudaSuccess) {
    std::printf("status %d: %s\n", static_cast<int>(status), rowfold::cpu::last_error());
    return 1;
  }
  const double expected = std::sqrt(1.5);  // (3 - 2) / sqrt(2 / 3), and the same for the second row
  for (int row = 0; row < 2; ++row) {
    std::printf("%g %g %g\n", y[3 * row], y[3 * row + 1], y[3 * row + 2]);
    if (!(std::abs(y[3 * row] + expected) < 1e-14 && y[3 * row + 1] == 0 &&
          std::abs(y[3 * row + 2] - expected) < 1e-14))
      return 1;
  }
  return 0;
}

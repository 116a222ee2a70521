// SPDX-License-Identifier: MIT
// LayerNorm of two rows on the GPU, in double (one kernel, quickly compiled). Without a GPU the call must come back
// with the runtime's error, not crash.
#include <cmath>
#include <cstdio>

#include "rowfold/layer_norm.cuh"

int main() {
  const double x[6] = {1, 2, 3, 4, 6, 8};
  double y[6] = {};
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    const cudaError_t status = rowfold::layer_norm(x, nullptr, nullptr, y, 2, 3, 0.0, nullptr);
    std::printf("no GPU; layer_norm returned: %s\n", cudaGetErrorString(status));
    return status == cudaSuccess;
  }
  double* memory = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&memory), 12 * sizeof(double)) != cudaSuccess) return 1;
  if (cudaMemcpy(memory, x, sizeof(x), cudaMemcpyHostToDevice) != cudaSuccess) return 1;
  if (rowfold::layer_norm(memory, nullptr, nullptr, memory + 6, 2, 3, 0.0, nullptr) != cudaSuccess) return 1;
  if (cudaMemcpy(y, memory + 6, sizeof(y), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (const double value : y) std::printf("%g ", value);
  std::printf("\n");
  const double expected = std::sqrt(1.5);  // (3 - 2) / sqrt(2 / 3), and the same for the second row
  for (int row = 0; row < 2; ++row) {
    const double* out = y + 3 * row;
    if (!(std::abs(out[0] + expected) < 1e-14 && out[1] == 0 && std::abs(out[2] - expected) < 1e-14)) return 1;
  }
  return cudaFree(memory) == cudaSuccess ? 0 : 1;
}

// SPDX-License-Identifier: MIT
// Runs LayerNorm on both back ends of one program, the GPU's with a plan that a .cpp file made, and compares the
// results. Exit status 0: right; 1: wrong; the launches on the GPU are left out, and that is said, where there is no
// GPU.
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "program.hpp"

namespace {

constexpr std::size_t count = std::size_t{test_rows} * test_cols;
int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}

bool is_layer_norm(const std::vector<float>& x, const std::vector<float>& y) {
  for (int row = 0; row < test_rows; ++row) {
    const float* in = &x[static_cast<std::size_t>(row) * test_cols];
    const float* out = &y[static_cast<std::size_t>(row) * test_cols];
    double mean = 0, variance = 0;
    for (int col = 0; col < test_cols; ++col) mean += in[col];
    mean /= test_cols;
    for (int col = 0; col < test_cols; ++col) variance += (in[col] - mean) * (in[col] - mean);
    variance /= test_cols;
    for (int col = 0; col < test_cols; ++col)
      if (!(std::abs(out[col] - (in[col] - mean) / std::sqrt(variance + 1e-5)) < 2e-6)) return false;  // 8 ulp of 2
  }
  return true;
}

void run_on_gpu(const std::vector<float>& x) {
  rowfold::device_info device;
  expect(device_of_this_machine(device) == cudaSuccess, "current_device_info");
  float* memory = nullptr;
  expect(cudaMalloc(reinterpret_cast<void**>(&memory), 2 * count * sizeof(float)) == cudaSuccess, "cudaMalloc");
  expect(cudaMemcpy(memory, x.data(), count * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess, "copy of x");
  float_args args = make_args(memory, memory + count);
  args.plan = make_plan(args, device);
  for (const auto launch : {launch_first, launch_second}) {
    std::vector<float> y(count);
    expect(cudaMemset(args.y, 0xFF, count * sizeof(float)) == cudaSuccess, "memset of y");
    expect(launch(args) == cudaSuccess, "launch");
    expect(cudaMemcpy(y.data(), args.y, count * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess, "copy of y");
    expect(is_layer_norm(x, y), "LayerNorm on the GPU with a plan from a .cpp file");
  }
  expect(cudaFree(memory) == cudaSuccess, "cudaFree");
}

}  // namespace

int main() {
  std::vector<float> x(count), y(count, std::nanf(""));
  for (std::size_t i = 0; i < count; ++i) x[i] = std::sin(static_cast<float>(i * i));
  expect(launch_on_cpu(make_args(x.data(), y.data())) == cudaSuccess, "launch on the CPU executor");
  expect(is_layer_norm(x, y), "LayerNorm on the CPU executor");

  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    run_on_gpu(x);
  } else {
    std::printf("no GPU: linked, run on the CPU executor; the launches on the GPU are left out\n");
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}

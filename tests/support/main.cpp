// SPDX-License-Identifier: MIT
// The entry point of every test program, for Catch2 2.13 and 3.
//
// It prints which Catch2, back end, schedule and seed run, and refuses to pass a filter that matches no test. In the
// GPU suite it looks for a device first: without one it says so and returns 77, which CTest counts as skipped, unless
// the environment variable ROWFOLD_REQUIRE_GPU is set.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_version_macros.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>
#include <cstdlib>

#include "support/seed.hpp"

#if defined(ROWFOLD_TEST_GPU)
#include <cuda_runtime_api.h>

namespace {
constexpr int skipped = 77;

// Returns 0 where a device answers, else the exit status to leave with.
int find_gpu() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) std::printf("GPU: %s\n", properties.name);
    return 0;
  }
  const bool required = std::getenv("ROWFOLD_REQUIRE_GPU") != nullptr;
  std::printf("%s: no CUDA device (%s)\n", required ? "FAILED" : "SKIPPED", cudaGetErrorString(status));
  return required ? 1 : skipped;
}
}  // namespace
#endif

int main(int argc, char** argv) {
  std::printf("Catch2 %d.%d.%d, seed %llu", CATCH_VERSION_MAJOR, CATCH_VERSION_MINOR, CATCH_VERSION_PATCH,
              static_cast<unsigned long long>(rowfold_test::seed()));
#if defined(ROWFOLD_TEST_GPU)
  std::printf(", GPU back end\n");
  if (const int status = find_gpu()) return status;
#else
  const char* schedule = std::getenv("ROWFOLD_SCHEDULE");
  std::printf(", CPU back end, schedule %s\n", schedule ? schedule : "not set");
#endif
  Catch::Session session;
#if CATCH_VERSION_MAJOR < 3
  session.configData().warnings = Catch::WarnAbout::NoTests;  // version 3 fails without tests by itself
#endif
  return session.run(argc, argv);
}
